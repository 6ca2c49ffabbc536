import { queryOptions } from "@tanstack/react-query";
import { fetchRaw } from "@/shared/api/client";

export type Part = "input" | "output" | "metadata";

/** The beginning of a text, as bytes: a text of tens of megabytes is never held twice. */
export interface PartBytes {
  bytes: Uint8Array;
  /** Of the whole text. */
  size: number;
}

/** What is read at once. More comes when somebody asks for it. */
const firstBytes = 1_000_000;

/** What an observation was given, answered or noted: its beginning, or all of it. */
export function partQuery(projectId: string, traceId: string, observationId: string, part: Part, whole: boolean) {
  return queryOptions({
    queryKey: ["io", projectId, traceId, observationId, part, whole],
    staleTime: 60_000,
    gcTime: 60_000,
    queryFn: async ({ signal }): Promise<PartBytes> => {
      const path = `/api/public/observations/${encodeURIComponent(observationId)}/io?part=${part}&traceId=${encodeURIComponent(traceId)}`;
      const response = await fetchRaw(projectId, path, { signal, headers: whole ? {} : { Range: `bytes=0-${firstBytes - 1}` } });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { bytes, size: Number(response.headers.get("Content-Range")?.split("/")[1] ?? bytes.byteLength) };
    },
  });
}
