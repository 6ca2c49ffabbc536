import { type RowBlock, type TraceHead, TraceRows } from "./rows";

type Line = ({ line: "trace"; format: number } & TraceHead) | ({ line: "rows" } & RowBlock) | { line: "end" } | { line: string };

const knownFormat = 1;
const longestTask = 24; // milliseconds without letting the page paint

/** Reads the answer of /skeleton. onGrowth is called after every block, so that rows are shown while others are on their
 * way. Throws when the answer is cut off; what came before stays in the rows that onGrowth saw. */
export async function readSkeleton(body: ReadableStream<Uint8Array>, onGrowth?: (rows: TraceRows) => void): Promise<TraceRows> {
  let rows: TraceRows | undefined;
  let complete = false;
  let busy = 0;
  for await (const text of whole(lines(body), () => rows?.length ?? 0)) {
    const began = performance.now();
    const line = JSON.parse(text) as Line;
    if (isHead(line)) {
      if (line.format !== knownFormat) throw new Error("This page is older than the server. Reload it.");
      rows = new TraceRows(line);
    } else if (isBlock(line)) {
      if (rows === undefined) throw new Error("the answer begins without its head");
      rows.append(line);
    } else if (line.line === "end") complete = true;
    if (rows !== undefined && !complete) onGrowth?.(rows);
    busy += performance.now() - began;
    if (busy > longestTask) {
      await nextTask();
      busy = 0;
    }
  }
  if (rows === undefined || !complete) throw new CutOffError(rows?.length ?? 0);
  return rows;
}

/** A connection that breaks is an answer that is cut off; one that we ended ourselves is not. */
async function* whole(source: AsyncGenerator<string>, rows: () => number): AsyncGenerator<string> {
  try {
    yield* source;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new CutOffError(rows());
  }
}

/** The connection ended before the trace did. */
export class CutOffError extends Error {
  constructor(readonly rows: number) {
    super(`The answer ended early, after ${rows} rows.`);
    this.name = "CutOffError";
  }
}

const isHead = (line: Line): line is { line: "trace"; format: number } & TraceHead => line.line === "trace";
const isBlock = (line: Line): line is { line: "rows" } & RowBlock => line.line === "rows";

/** The lines of a stream, without their ends; what stands behind the last end was cut off and is left out. Pieces are joined
 * once per line, however small they come. */
export async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let pieces: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      let from = 0;
      for (let end = value.indexOf("\n"); end >= 0; end = value.indexOf("\n", from)) {
        pieces.push(value.slice(from, end));
        yield pieces.join("");
        pieces = [];
        from = end + 1;
      }
      if (from < value.length) pieces.push(value.slice(from));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

interface Scheduler {
  postTask: (task: () => void, options: { priority: "background" }) => Promise<void>;
}

/** Lets everything else run first: rows that are here shall be painted before others are read. */
function nextTask(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: Scheduler };
  if (scheduler !== undefined) return scheduler.postTask(() => undefined, { priority: "background" });
  return new Promise((resolve) => setTimeout(resolve));
}
