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

export interface Letters {
  list: DeadLetter[];
  /** There are older ones. */
  more: boolean;
}

/** The newest dead letters, as many as one page holds: whoever has more settles these first. */
export const lettersQuery = (project: Project) =>
  queryOptions({
    queryKey: ["dead-letters", project.id],
    queryFn: async ({ signal }): Promise<Letters> => {
      const { data } = await project.api.GET("/api/public/dead-letters", { params: { query: { limit: 100 } }, signal });
      return { list: data!.data, more: data!.meta.cursor !== undefined };
    },
  });

export async function redriveLetter({ api }: Project, id: string): Promise<void> {
  await api.POST("/api/public/dead-letters/{id}/redrive", { params: { path: { id } } });
}

export async function deleteLetter({ api }: Project, id: string): Promise<void> {
  await api.DELETE("/api/public/dead-letters/{id}", { params: { path: { id } } });
}
