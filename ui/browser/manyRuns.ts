import { read, sendBatch, sendScores, until, type SentScore, type SentSpan } from "./api";

/** An application takes some time to say this much: it is about what answers of support are. */
const answer = "Your order left the warehouse on Monday and is out for delivery today. I have sent you the tracking link, and a label for the return in case the parcel is damaged again. The refund follows when it is scanned, usually within three days.";
/** Before all that lists show by default, so that no other spec sees them. */
const begin = Date.parse("2025-12-01T08:00:00Z");
const perRequest = 2000;

export const runId = (run: number) => `many-runs-${run}`;

/** Every this many items the last run is worse than all others. */
const worseEvery = 50;

/** Sends runs of as many items each, with a call of a model and two scores for every item. What is there already is not sent again. */
export async function sendRuns(url: string, runs: number, items: number): Promise<void> {
  const scored = async (run: number) => {
    const { data } = await read(url, `/api/public/experiments/figures?id=${runId(run)}`);
    return ["correct", "similarity"].every((name) => data.find((figure: { name: string }) => figure.name === name)?.count === items);
  };
  for (let run = 0; run < runs; run++) {
    if (await scored(run)) continue;
    const spans: SentSpan[] = [];
    const scores: SentScore[] = [];
    for (let item = 0; item < items; item++) addItem(run, item, run === runs - 1, spans, scores);
    for (let from = 0; from < spans.length; from += perRequest) await sendBatch(url, spans.slice(from, from + perRequest));
    for (let from = 0; from < scores.length; from += perRequest) await sendScores(url, scores.slice(from, from + perRequest));
  }
  for (let run = 0; run < runs; run++) await until(() => scored(run), 300);
}

/** How many items the last run is worse in. */
export const regressionsOf = (items: number) => Math.floor(items / worseEvery);

function addItem(run: number, item: number, isLast: boolean, spans: SentSpan[], scores: SentScore[]): void {
  const place = run * 1_000_000 + item + 1;
  const id = (number: number, digits: number) => `e${number.toString(16).padStart(digits - 1, "0")}`;
  const traceId = id(place, 32);
  const root = id(2 * place, 16);
  const start = begin + run * 3_600_000 + item * 3000;
  const worse = isLast && item % worseEvery === worseEvery - 1;
  const input = JSON.stringify({ question: `Where is order ${item}? It should have arrived on Tuesday.` });
  const output = worse ? "I do not know." : `${answer} Order ${item}, as run ${run} sees it.`;
  const facts = {
    "langfuse.experiment.id": runId(run), "langfuse.experiment.name": `many runs, ${run}`, "langfuse.experiment.item.id": `order-${String(item).padStart(4, "0")}`,
    "langfuse.experiment.item.root_observation_id": root, "langfuse.experiment.item.expected_output": answer, "langfuse.environment": "sdk-experiment",
    "langfuse.observation.input": input, "langfuse.observation.output": output,
  };
  spans.push({ traceId, spanId: root, name: "experiment-item-run", start, end: start + 900 + 50 * run + (item % 100), attributes: { ...facts, "langfuse.observation.type": "chain" } });
  spans.push({ traceId, spanId: id(2 * place + 1, 16), parentSpanId: root, name: "answer", start: start + 10, end: start + 800, attributes: { ...facts, "langfuse.observation.type": "generation", "langfuse.observation.model.name": "gpt-4o", "langfuse.observation.usage_details": '{"input":120,"output":60}' } });
  scores.push({ traceId, observationId: root, name: "correct", value: worse ? 0 : 1, dataType: "BOOLEAN" });
  scores.push({ traceId, observationId: root, name: "similarity", value: worse ? 0.1 : 0.5 + 0.05 * run + (item % 10) / 100, dataType: "NUMERIC" });
}
