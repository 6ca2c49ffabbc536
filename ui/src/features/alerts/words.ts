import type { Alert, AlertState } from "@/shared/alerts/api";
import type { Condition } from "@/shared/filter/condition";
import { print } from "@/shared/filter/print";

export const stateWords: Record<AlertState, string> = { ok: "OK", firing: "Firing", "no-data": "No data", error: "Error" };

interface Metric {
  measure: string;
  aggregation: string;
}

/** The number that an alert watches, in words. */
export function metricText({ query, condition }: Pick<Alert, "query" | "condition">): string {
  const metric = (query as { metrics?: Metric[] }).metrics?.[0];
  if (metric === undefined || condition.kind === "absence" || metric.measure === "count") return "number of rows";
  return `${metric.aggregation} of ${metric.measure}`;
}

/** Which rows an alert looks at, as a query; "": all. */
export function filterText({ query }: Pick<Alert, "query">): string {
  return print((query as { filters?: Condition[] }).filters ?? []);
}

/** When an alert fires, in words. */
export function conditionText(alert: Pick<Alert, "query" | "condition" | "windowMinutes">): string {
  const { kind, operator = "", limit = "", direction = "any" } = alert.condition;
  const window = `over ${minutesText(alert.windowMinutes)}`;
  if (kind === "absence") return `no row ${window}`;
  if (kind === "threshold") return `${metricText(alert)} ${window} ${operator} ${limit}`;
  const verb = direction === "up" ? "rose" : direction === "down" ? "fell" : "changed";
  return `${metricText(alert)} ${window} ${verb} by ${limit} % or more against last week`;
}

export function minutesText(minutes: number): string {
  if (minutes % 1440 === 0) return minutes === 1440 ? "a day" : `${minutes / 1440} days`;
  if (minutes % 60 === 0) return minutes === 60 ? "an hour" : `${minutes / 60} hours`;
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}

/** What became of the messages about a change, in words. */
export function toldText(deliveries: readonly { state: string }[], muted: boolean): string {
  if (deliveries.length === 0) return muted ? "muted" : "nobody to tell";
  const count = (state: string) => deliveries.filter((one) => one.state === state).length;
  return [[count("delivered"), "told"], [count("pending"), "being told"], [count("failed"), "not reached"]].filter(([n]) => (n as number) > 0).map(([n, word]) => `${n} ${word}`).join(", ");
}
