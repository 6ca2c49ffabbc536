import { useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { createApi } from "@/shared/api/client";
import { previewText } from "@/shared/chat/previewText";
import { flagStatusMessage, type TraceRows } from "@/shared/trace/rows";
import { keyOf, type TraceSource } from "@/shared/trace/source";

/** How the texts of a row begin, on one line. */
export interface LogText {
  /** What it says of how it went. */
  message?: string;
  input: string;
  output: string;
}

const atOnce = 50;
const restMs = 120;

/** The beginnings of the texts of the rows in view, a few dozen at a time, once scrolling rests. A shared trace has none: they would have to
 * be read one by one. */
export function useLogTexts(source: TraceSource, rows: TraceRows, list: Int32Array, first: number, end: number): ReadonlyMap<string, LogText> {
  const chunks = useRested(`${Math.floor(first / atOnce)} ${Math.floor(Math.max(first, end - 1) / atOnce)}`);
  const [from = 0, to = 0] = chunks.split(" ").map(Number);
  const places = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const shown = places.map((place) => Array.from(list.subarray(place * atOnce, (place + 1) * atOnce)));
  return useQueries({
    queries: shown.map((chunk) => {
      const ids = chunk.map((row) => rows.ids.at(row));
      const told = chunk.filter((row) => (rows.flags[row]! & flagStatusMessage) !== 0).map((row) => rows.ids.at(row));
      return {
        queryKey: ["log", ...keyOf(source), ids, told],
        enabled: !source.shared && ids.length > 0,
        staleTime: 60_000,
        queryFn: ({ signal }: { signal: AbortSignal }) => readTexts(source, ids, told, signal),
      };
    }),
    combine: (answers) => new Map(answers.flatMap(({ data }) => [...(data ?? [])])),
  });
}

async function readTexts({ projectId, traceId }: TraceSource, ids: string[], told: string[], signal: AbortSignal): Promise<Map<string, LogText>> {
  const api = createApi(projectId);
  const filter = JSON.stringify([{ type: "stringOptions", column: "id", operator: "any of", value: told }]);
  const [previews, messages] = await Promise.all([
    api.GET("/api/public/previews", { params: { query: { ids: ids.join(","), traceId } }, signal }),
    told.length === 0 ? null : api.GET("/api/public/v2/observations", { params: { query: { traceId, filter, fields: "core,basic", limit: atOnce } }, signal }),
  ]);
  const texts = new Map<string, LogText>((previews.data?.data ?? []).map(({ id, input, output }) => [id, { input: previewText(input ?? ""), output: previewText(output ?? "") }]));
  for (const { id, statusMessage } of messages?.data?.data ?? []) {
    const text = texts.get(id);
    if (text !== undefined && statusMessage) text.message = previewText(statusMessage);
  }
  return texts;
}

/** The value once it has not changed for a moment. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
