import type { Project } from "@/shared/api/project";
import type { paths } from "@/shared/api/schema.d.ts";
import type { Condition } from "@/shared/filter/condition";
import { type Page, pageSize } from "@/shared/table/useRowPages";

type Listed<Path extends "/api/public/users" | "/api/public/session-summaries"> = paths[Path]["get"]["responses"][200]["content"]["application/json"];

export type SessionActivity = Listed<"/api/public/session-summaries">["data"][number];
export type UserActivity = Listed<"/api/public/users">["data"][number];

/** Which activities: of the observations of a time that meet all conditions, those whose id begins with a text. */
export interface ActivityQuery {
  from: string;
  to: string;
  conditions: readonly Condition[];
  prefix: string;
  /** As in "totalCost.desc". */
  orderBy: string;
}

function parameters({ from, to, conditions, prefix, orderBy }: ActivityQuery, page: string | undefined, limit: number) {
  return {
    fromStartTime: from,
    toStartTime: to,
    orderBy,
    page: page ?? "1",
    limit: String(limit),
    ...(conditions.length > 0 ? { filter: JSON.stringify(conditions) } : {}),
    ...(prefix === "" ? {} : { prefix }),
  };
}

export async function loadSessions({ api }: Project, query: ActivityQuery, page: string | undefined, signal: AbortSignal, limit = pageSize): Promise<Page<SessionActivity>> {
  const { data } = await api.GET("/api/public/session-summaries", { params: { query: parameters(query, page, limit) }, signal });
  return pageOf(data!);
}

export async function loadUsers({ api }: Project, query: ActivityQuery, page: string | undefined, signal: AbortSignal, limit = pageSize): Promise<Page<UserActivity>> {
  const { data } = await api.GET("/api/public/users", { params: { query: parameters(query, page, limit) }, signal });
  return pageOf(data!);
}

/** The cursor of the next page is its number. */
function pageOf<Row>({ data, meta }: { data: Row[]; meta: { page: number; totalPages: number; totalItems: number; since?: string } }): Page<Row> {
  return { list: data, cursor: meta.page < meta.totalPages ? String(meta.page + 1) : null, total: meta.totalItems, since: meta.since };
}
