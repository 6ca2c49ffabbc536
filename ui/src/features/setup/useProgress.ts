import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createApi } from "@/shared/api/client";
import { allows, type Project } from "@/shared/api/project";
import { useSession } from "@/shared/api/session";
import type { FreshKey } from "./freshKey";
import { type Progress, progressOf } from "./progress";
import { useSetupNews } from "./useSetupNews";

const pollMs = 3000;
const otherPollMs = 10_000;
const others = 8;
const skewMs = 10 * 60_000;
const rootOnly = JSON.stringify([{ type: "boolean", column: "isRootObservation", operator: "=", value: true }]);

/** Everything that the page shows of a first trace's way: told by the server, or asked for every 3 seconds where it cannot tell. */
export function useProgress(project: Project, fresh: FreshKey | undefined) {
  const { id, api } = project;
  const admin = allows(project.role, "ADMIN"); // others may not list keys
  const { live, seen } = useSetupNews(id);
  const refetchInterval = live ? (false as const) : pollMs;
  const keys = useQuery({
    queryKey: ["setup", id, "keys"], refetchInterval, enabled: admin,
    queryFn: async ({ signal }) => (await api.GET("/api/public/projects/{projectId}/apiKeys", { params: { path: { projectId: id } }, signal })).data!.apiKeys,
  });
  const requests = useQuery({
    queryKey: ["setup", id, "requests"], refetchInterval,
    queryFn: async ({ signal }) => (await api.GET("/api/public/ingest-requests", { signal })).data!,
  });
  // A program's clock may be late: a little before the key counts, too.
  const since = fresh === undefined ? undefined : new Date(Date.parse(fresh.createdAt) - skewMs).toISOString();
  const trace = useQuery({
    queryKey: ["setup", id, "trace", since], refetchInterval,
    queryFn: async ({ signal }) => {
      const { data } = await api.GET("/api/public/v2/observations", { params: { query: { filter: rootOnly, fields: "core,basic", limit: 1, fromStartTime: since } }, signal });
      const [root] = data!.data;
      return root?.traceId == null ? null : { traceId: root.traceId, name: root.name || root.traceName || root.traceId };
    },
  });
  const key = fresh === undefined ? keys.data?.toSorted((a, b) => (a.lastUsedAt ?? "").localeCompare(b.lastUsedAt ?? "")).at(-1) : { ...fresh, lastUsedAt: null };
  const progress: Progress = progressOf({ key, only: fresh?.publicKey ?? null, requests: requests.data?.data ?? [], seen, trace: trace.data ?? undefined });
  const failed = [keys, requests, trace].find(({ error }) => error !== null);
  return {
    progress, live, requests: requests.data?.data ?? [], unknownKeys: requests.data?.unknownKeys ?? [],
    pending: (admin && keys.isPending) || requests.isPending || trace.isPending,
    error: failed?.error ?? null, retry: () => void failed?.refetch(),
    elsewhere: useElsewhere(id, progress.accepted === null),
  };
}

/** Projects of the same person that took spans since the page was opened: their key may be in use by mistake. */
function useElsewhere(projectId: string, enabled: boolean): { project: string; publicKey: string }[] {
  const { organizations } = useSession();
  const [opened] = useState(() => new Date().toISOString());
  const projects = organizations.flatMap((organization) => organization.projects).filter(({ id }) => id !== projectId).slice(0, others);
  const { data = [] } = useQuery({
    queryKey: ["elsewhere", projectId, opened], enabled: enabled && projects.length > 0, refetchInterval: otherPollMs,
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(projects.map(async ({ id, name }) => {
        const { data: answer } = await createApi(id).GET("/api/public/ingest-requests", { signal });
        const request = answer!.data.find(({ at, spansAccepted, publicKey }) => at > opened && spansAccepted > 0 && publicKey !== null);
        return request?.publicKey == null ? [] : [{ project: name, publicKey: request.publicKey }];
      }));
      return answers.flat();
    },
  });
  return enabled ? data : [];
}
