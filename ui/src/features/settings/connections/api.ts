import { queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";

export type Connection = components["schemas"]["LlmConnection"];

export const connectionsQuery = (project: Project) =>
  queryOptions({
    queryKey: ["llm-connections", project.id],
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/llm-connections", { params: { query: { limit: "100" } }, signal })).data?.data ?? [],
  });

export interface NewConnection {
  provider: string;
  adapter: string;
  secretKey: string;
  baseURL: string | null;
  customModels: string[];
  withDefaultModels: boolean;
  extraHeaders: Record<string, string> | null;
}

export async function putConnection({ api }: Project, connection: NewConnection): Promise<void> {
  await api.PUT("/api/public/llm-connections", { body: connection as never });
}

export async function deleteConnection({ api }: Project, id: string): Promise<void> {
  await api.DELETE("/api/public/llm-connections/{id}", { params: { path: { id } } });
}

/** Asks a model for a word through a connection. Says what it is called there, and how long it took. */
export async function testConnection({ api }: Project, provider: string, model: string) {
  const { data } = await api.POST("/api/public/playground/connection-tests", { body: { provider, model } });
  if (data === undefined) throw new Error("the server sent nothing");
  return data;
}
