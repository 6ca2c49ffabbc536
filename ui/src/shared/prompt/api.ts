import { queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { PromptContent } from "./content";

/** All that is asked about the prompts of a project; a change makes all of it old. */
export const promptsKey = (project: Project) => ["prompts", project.id] as const;

/** A version of a prompt as it was written (raw), or with the texts of those it includes. */
export const promptQuery = (project: Project, name: string, version: number | undefined, resolve = false) =>
  queryOptions({
    queryKey: [...promptsKey(project), "one", name, version ?? "latest", resolve],
    queryFn: async ({ signal }) => {
      const query = { resolve: String(resolve), ...(version === undefined ? { label: "latest" } : { version: String(version) }) };
      const { data } = await project.api.GET("/api/public/v2/prompts/{promptName}", { params: { path: { promptName: name }, query } as never, signal });
      if (data === undefined) throw new Error("the server sent nothing");
      return data;
    },
  });

export interface Draft {
  name: string;
  type: "text" | "chat";
  prompt: PromptContent;
  config: unknown;
  labels: string[];
  /** Undefined: those that the prompt has. */
  tags?: string[];
  commitMessage?: string;
}

/** Makes the next version of a prompt. */
export async function createPrompt({ api }: Project, draft: Draft) {
  const { data } = await api.POST("/api/public/v2/prompts", { body: draft as never });
  if (data === undefined) throw new Error("the server sent nothing");
  return data;
}

/** Prompts whose names have a text in them, a few, by name. Asked for once typing rests: what is typed on cancels it. */
export const foundPromptsQuery = (project: Project, text: string) =>
  queryOptions({
    queryKey: [...promptsKey(project), "found", text],
    queryFn: async ({ signal }) => {
      await new Promise((done) => setTimeout(done, 150));
      signal.throwIfAborted();
      const value = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
      const filter = JSON.stringify([{ type: "string", column: "name", operator: "contains", value }]);
      const { data } = await project.api.GET("/api/public/v2/prompts", { params: { query: { filter, limit: "8" } } as never, signal });
      return data?.data ?? [];
    },
  });
