import { queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";

export type IngestRequests = components["schemas"]["IngestRequests"];
export type IngestRequest = components["schemas"]["IngestRequest"];
export type IngestQueue = components["schemas"]["IngestQueue"];
export type DeadLetter = components["schemas"]["DeadLetter"];

export const requestsQuery = (project: Project) =>
  queryOptions({
    queryKey: ["ingest-requests", project.id],
    queryFn: async ({ signal }): Promise<IngestRequests> => (await project.api.GET("/api/public/ingest-requests", { signal })).data!,
  });

export interface LetterPage {
  list: DeadLetter[];
  cursor: string | undefined;
}

export async function loadLetters({ api }: Project, cursor: string | undefined, signal: AbortSignal): Promise<LetterPage> {
  const { data } = await api.GET("/api/public/dead-letters", { params: { query: { limit: 50, cursor } }, signal });
  return { list: data!.data, cursor: data!.meta.cursor };
}

export async function redriveLetter({ api }: Project, id: string): Promise<void> {
  await api.POST("/api/public/dead-letters/{id}/redrive", { params: { path: { id } } });
}

export async function deleteLetter({ api }: Project, id: string): Promise<void> {
  await api.DELETE("/api/public/dead-letters/{id}", { params: { path: { id } } });
}
