import { type Catalog, observationColumns } from "@/shared/filter/catalog";
import { scoreColumns } from "@/shared/filter/scores";
import { formatCount, formatDuration, formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";

export type View = "observations" | "scores-numeric" | "scores-boolean" | "scores-categorical";

type Unit = "count" | "ms" | "tokens" | "usd" | "value" | "text";

const observationMeasures: Record<string, [label: string, unit: Unit]> = {
  count: ["Observations", "count"], latency: ["Latency", "ms"], timeToFirstToken: ["Time to first token", "ms"], streamingLatency: ["Streaming latency", "ms"],
  inputTokens: ["Input tokens", "tokens"], outputTokens: ["Output tokens", "tokens"], totalTokens: ["Tokens", "tokens"],
  outputTokensPerSecond: ["Output tokens per second", "value"], tokensPerSecond: ["Tokens per second", "value"],
  inputCost: ["Input cost", "usd"], outputCost: ["Output cost", "usd"], totalCost: ["Cost", "usd"], countScores: ["Scores", "count"],
  traceId: ["Traces", "text"], uniqueUserIds: ["Users", "text"], uniqueSessionIds: ["Sessions", "text"], toolCalls: ["Tool calls", "count"], toolDefinitions: ["Tools offered", "count"],
};

const scoreMeasures: typeof observationMeasures = { count: ["Scores", "count"], value: ["Value", "value"] };

export const views: Record<View, string> = {
  observations: "Observations", "scores-numeric": "Scores: numbers", "scores-boolean": "Scores: true or false", "scores-categorical": "Scores: categories",
};

export function measuresOf(view: View): typeof observationMeasures {
  if (view === "observations") return observationMeasures;
  return view === "scores-categorical" ? { count: scoreMeasures.count! } : scoreMeasures;
}

export const aggregations = ["count", "sum", "avg", "min", "max", "p50", "p75", "p90", "p95", "p99", "uniq", "histogram"] as const;
export type Aggregation = (typeof aggregations)[number];

/** What makes sense of a measure: rows are counted, texts too, the rest is calculated with. */
export function aggregationsOf(view: View, measure: string, histogram: boolean): readonly Aggregation[] {
  if (histogram) return ["histogram"];
  if (measure === "count") return ["count"];
  if (measuresOf(view)[measure]?.[1] === "text") return ["uniq", "count"];
  return aggregations.filter((one) => one !== "histogram" && one !== "uniq" && one !== "count");
}

const common = { environment: "Environment", name: "Name", traceName: "Trace name", userId: "User", sessionId: "Session", tags: "Tags" };

/** What rows can be grouped by, and what it is called. */
export const dimensions: Record<View, Record<string, string>> = {
  observations: {
    ...common, type: "Type", level: "Level", providedModelName: "Model", version: "Version", release: "Release", promptName: "Prompt", promptVersion: "Prompt version",
    isRootObservation: "Is a root", calledToolNames: "Called tool", toolNames: "Offered tool", experimentName: "Experiment",
  },
  "scores-numeric": { ...common, source: "Source", dataType: "Type of score", observationName: "Observation", observationModelName: "Model", observationPromptName: "Prompt", traceRelease: "Release" },
  "scores-boolean": { ...common, source: "Source", booleanValue: "Value", observationName: "Observation", observationModelName: "Model", observationPromptName: "Prompt" },
  "scores-categorical": { ...common, source: "Source", stringValue: "Category", observationName: "Observation", observationModelName: "Model", observationPromptName: "Prompt" },
};

/** Dimensions that may have as many values as there are rows: the server shows them without a course over time only. */
export const manyValued: ReadonlySet<string> = new Set(["userId", "sessionId", "experimentName"]);

/** What a list of scores can be filtered by, and metrics cannot. */
const listedOnly = new Set(["queueId", "authorUserId", "timestamp"]);

/** What the rows of a tile can be filtered by. */
export function columnsOf(view: View): Catalog {
  if (view === "observations") return observationColumns;
  return scoreColumns.filter(({ column }) => !listedOnly.has(column) && (column !== "value" || view === "scores-numeric") && (column !== "stringValue" || view === "scores-categorical"));
}

export interface Metric {
  measure: string;
  aggregation: string;
}

export const keyOf = ({ measure, aggregation }: Metric) => `${aggregation}_${measure}`;

/** Of no rows these are 0; all others are nothing, which a chart shows as a gap. */
export const isAdditive = ({ aggregation }: Metric) => aggregation === "count" || aggregation === "sum";

const words: Record<string, string> = { sum: "", count: "", uniq: "", avg: "mean", min: "lowest", max: "highest", histogram: "" };

/** In words: "p95 latency", "Cost". */
export function labelOf(view: View, metric: Metric): string {
  const name = measuresOf(view)[metric.measure]?.[0] ?? metric.measure;
  const word = words[metric.aggregation] ?? metric.aggregation;
  return word === "" ? name : `${name}, ${word}`;
}

/** How a metric's values are written. */
export function formatOf(view: View, metric: Metric | undefined): (value: number | null) => string {
  const unit = metric === undefined ? "value" : metric.aggregation === "count" || metric.aggregation === "uniq" ? "count" : (measuresOf(view)[metric.measure]?.[1] ?? "value");
  switch (unit) {
    case "ms":
      return formatDuration;
    case "usd":
      // Sums of floats have digits that nobody wrote.
      return (value) => formatMoney(value === null ? null : Number(value.toPrecision(12)));
    case "tokens":
      return formatTokens;
    case "value":
      return (value) => (value === null ? "–" : new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 }).format(value));
    default:
      return formatCount;
  }
}
