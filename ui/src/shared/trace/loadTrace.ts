import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "@/shared/api/errors";
import type { TraceRows } from "./rows";
import { keyOf, readSkeletonOf, type TraceSource } from "./source";
import { CutOffError, readSkeleton } from "./stream";

/** A trace as far as it is here. A new value is made whenever it grew, the rows inside stay the same ones. */
export interface LoadedTrace {
  rows: TraceRows;
  length: number;
  complete: boolean;
}

const showEvery = 200; // milliseconds between two looks at a trace that is still arriving

/** The rows of a trace. They are shown while they arrive, but a trace that is read anew replaces the old one whole. */
export function traceQuery(source: TraceSource) {
  return queryOptions<LoadedTrace>({
    queryKey: ["trace", ...keyOf(source)],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000, // it may be a hundred megabytes
    structuralSharing: false,
    retry: (failures, error) => !(error instanceof ApiError || error instanceof CutOffError) && failures < 2,
    queryFn: async ({ client, queryKey, signal }) => {
      const before = client.getQueryData<LoadedTrace>(queryKey);
      const response = await readSkeletonOf(source, signal);
      if (response.body === null) throw new Error("The server sent no trace.");
      const progress = new Progress((rows) => client.setQueryData<LoadedTrace>(queryKey, { rows, length: rows.length, complete: false }));
      try {
        const rows = await readSkeleton(response.body, before?.complete === true ? undefined : (grown) => progress.tell(grown));
        return { rows, length: rows.length, complete: true };
      } catch (error) {
        if (!signal.aborted) progress.flush();
        throw error;
      }
    },
  });
}

/** Tells of growth at once for the first rows, then from time to time: every telling is a rendering. */
class Progress {
  private latest: TraceRows | undefined;
  private told = { at: 0, length: 0 };

  constructor(private readonly show: (rows: TraceRows) => void) {}

  tell(rows: TraceRows): void {
    this.latest = rows;
    if (this.told.length === 0 || performance.now() - this.told.at > showEvery) this.flush();
  }

  /** What came before an answer was cut off stays on screen. */
  flush(): void {
    if (this.latest === undefined || this.latest.length === this.told.length) return;
    this.told = { at: performance.now(), length: this.latest.length };
    this.show(this.latest);
  }
}
