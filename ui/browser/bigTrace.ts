import { sendBatch, type SentSpan } from "./api";

const perRequest = 2000;
const perStep = 50;

/** Sends a trace of many rows: one root, steps below it, and short calls below those. */
export async function sendTree(url: string, traceId: string, rows: number): Promise<void> {
  const start = Date.parse("2026-05-01T10:00:00Z");
  const id = (row: number) => (row + 1).toString(16).padStart(16, "0");
  const kinds = ["tool", "generation", "retriever", "span"];
  const spanAt = (row: number): SentSpan => {
    const step = row - ((row - 1) % perStep);
    const isStep = row > 0 && row === step;
    const kind = row === 0 ? "agent" : isStep ? "chain" : kinds[row % kinds.length]!;
    return {
      traceId, spanId: id(row), parentSpanId: row === 0 ? undefined : id(isStep ? 0 : step), name: row === 0 ? "long run" : `${kind} ${row % 100}`,
      start: start + row, end: row === 0 ? start + rows : start + row + (isStep ? perStep : 1), attributes: { "langfuse.observation.type": kind },
    };
  };
  for (let from = 0; from < rows; from += perRequest) {
    await sendBatch(url, Array.from({ length: Math.min(perRequest, rows - from) }, (_, index) => spanAt(from + index)));
  }
}
