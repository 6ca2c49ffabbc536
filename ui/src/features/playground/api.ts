import { queryOptions } from "@tanstack/react-query";
import { fetchRaw } from "@/shared/api/client";
import { ApiError } from "@/shared/api/errors";
import type { Project } from "@/shared/api/project";
import { promptQuery } from "@/shared/prompt/api";
import { contentOf } from "@/shared/prompt/content";
import { readEvents } from "./events";
import { messagesOf, messagesOfInput, type OfferedModels, type Origin, type requestOf, type RunResult, type Variant, withConfig } from "./variant";

/** The models that the project's connections offer. */
export const offeredQuery = (project: Project) =>
  queryOptions({
    queryKey: ["playground-models", project.id],
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/playground/models", { signal })).data?.data ?? [],
  });

/** Gives a variant what the page was opened from, with its model where one is offered. */
type Beginning = (variant: Variant, offered: readonly OfferedModels[]) => Variant;

/** What a variant begins with, by where the page was opened from. */
export const originQuery = (project: Project, origin: Origin | undefined) =>
  queryOptions({
    queryKey: ["playground-origin", project.id, origin ?? null],
    enabled: origin !== undefined,
    staleTime: Number.POSITIVE_INFINITY, // what is edited here is not replaced under the hands
    queryFn: async ({ client, signal }): Promise<Beginning> => {
      if (origin === undefined) return (variant) => variant;
      if ("prompt" in origin) {
        const prompt = await client.fetchQuery(promptQuery(project, origin.prompt, origin.version, true));
        const messages = messagesOf(contentOf(prompt.prompt));
        const of = { prompt: { name: prompt.name, version: prompt.version }, isText: prompt.type === "text", includes: prompt.resolutionGraph !== null };
        return (variant, offered) => withConfig({ ...variant, messages, ...of }, prompt.config, offered);
      }
      const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: origin.observationId }]);
      const query = { traceId: origin.traceId, filter, fields: "core,basic,io,model,prompt", limit: "1", parseIoAsJson: "true" };
      const { data } = await project.api.GET("/api/public/v2/observations", { params: { query } as never, signal });
      const row = data?.data[0] as { input?: unknown; providedModelName?: string | null; modelParameters?: unknown; promptName?: string | null; promptVersion?: number | null } | undefined;
      const messages = messagesOfInput(parsedInput(row?.input));
      if (messages === undefined) throw new ApiError(404, "This observation has no messages to begin with.", undefined, undefined);
      const prompt = row?.promptName && row.promptVersion ? { name: row.promptName, version: row.promptVersion } : undefined;
      return (variant, offered) => withConfig({ ...variant, messages, prompt }, { ...(row?.modelParameters as object | null), model: row?.providedModelName }, offered);
    },
  });

function parsedInput(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

interface Heard {
  text: (piece: string) => void;
  tool: (name: string) => void;
}

/** Runs a variant and tells what the model says while it does. Ends with the signal. */
export async function runVariant(project: Project, request: ReturnType<typeof requestOf>, heard: Heard, signal: AbortSignal): Promise<RunResult> {
  const response = await fetchRaw(project.id, "/api/public/playground/runs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request), signal });
  let result: RunResult | undefined;
  let failed: ApiError | undefined;
  if (response.body !== null) {
    await readEvents(response.body, ({ name, data }) => {
      const value: unknown = JSON.parse(data);
      if (name === "delta") {
        const { text, tool } = value as { text: string; tool: string | null };
        if (tool !== null) heard.tool(tool);
        if (text !== "") heard.text(text);
      } else if (name === "done") result = value as RunResult;
      else if (name === "error") failed = new ApiError(503, (value as { message: string }).message, undefined, response.headers.get("x-request-id") ?? undefined);
    });
  }
  if (failed !== undefined) throw failed;
  if (result === undefined) throw new ApiError(503, "The answer broke off. Run it again.", undefined, response.headers.get("x-request-id") ?? undefined);
  return result;
}
