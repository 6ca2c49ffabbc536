import { queryOptions } from "@tanstack/react-query";
import { fetchRaw } from "@/shared/api/client";

export type Part = "input" | "output" | "metadata";

/** The beginning of a text. `size` is that of the whole, in bytes. */
export interface PartText {
  text: string;
  size: number;
  read: number;
}

const firstBytes = 65_536;

/** The first bytes of what an observation was given, answered or noted. */
export function partQuery(projectId: string, traceId: string, observationId: string, part: Part) {
  return queryOptions({
    queryKey: ["io", projectId, traceId, observationId, part],
    staleTime: 60_000,
    gcTime: 60_000,
    queryFn: async ({ signal }): Promise<PartText> => {
      const path = `/api/public/observations/${encodeURIComponent(observationId)}/io?part=${part}&traceId=${encodeURIComponent(traceId)}`;
      const response = await fetchRaw(projectId, path, { signal, headers: { Range: `bytes=0-${firstBytes - 1}` } });
      const bytes = await response.arrayBuffer();
      const size = Number(response.headers.get("Content-Range")?.split("/")[1] ?? bytes.byteLength);
      return { text: new TextDecoder().decode(bytes), size, read: bytes.byteLength };
    },
  });
}
