import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "@/shared/api/errors";
import { keyOf, readTextOf, type TraceSource } from "../source";

export type Part = "input" | "output" | "metadata";

/** The beginning of a text, as bytes: a text of tens of megabytes is never held twice. */
export interface PartBytes {
  bytes: Uint8Array;
  /** Of the whole text. */
  size: number;
}

/** What is read at once. More comes when somebody asks for it. */
const firstBytes = 1_000_000;

/** Of a text that is empty there is no first byte: browsers that remember it as such ask for one all the same. */
function emptyWhere416(error: unknown): Response {
  if (error instanceof ApiError && error.status === 416) return new Response();
  throw error;
}

/** What an observation was given, answered or noted: its beginning, or all of it. */
export function partQuery(source: TraceSource, observationId: string, part: Part, whole: boolean) {
  return queryOptions({
    queryKey: ["io", ...keyOf(source), observationId, part, whole],
    staleTime: 60_000,
    gcTime: 60_000,
    queryFn: async ({ signal }): Promise<PartBytes> => {
      const response = await readTextOf(source, observationId, part, { signal, headers: whole ? {} : { Range: `bytes=0-${firstBytes - 1}` } }).catch(emptyWhere416);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { bytes, size: Number(response.headers.get("Content-Range")?.split("/")[1] ?? bytes.byteLength) };
    },
  });
}
