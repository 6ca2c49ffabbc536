import type { components } from "@/shared/api/schema.d.ts";
import type { Condition } from "@/shared/filter/condition";
import { granularityOf } from "@/shared/lib/buckets";
import { keyOf, type Metric, type View } from "./catalog";

export type TileKind = components["schemas"]["TileKind"];
export type Dashboard = Omit<components["schemas"]["Dashboard"], "tiles"> & { tiles: Tile[] };
export type DashboardHead = components["schemas"]["DashboardHead"];

/** What a tile asks of the metrics of a project; the page has the times. */
export interface TileQuery {
  view: View;
  metrics: Metric[];
  dimensions?: { field: string }[];
  filters?: Condition[];
  orderBy?: { field: string; direction: "asc" | "desc" }[];
  config?: { row_limit?: number; bins?: number };
}

export interface Tile {
  id: string;
  title: string;
  kind: TileKind;
  x: number;
  y: number;
  w: number;
  h: number;
  query?: TileQuery;
  text?: string | null;
}

export const kinds: Record<TileKind, string> = {
  number: "Number", line: "Line over time", area: "Area over time", bars: "Bars over time", "bar-list": "Bars by value", histogram: "Histogram", "heat-map": "Heat map", table: "Table", text: "Text",
};

/** How many dimensions a kind shows, at least and at most, and how many metrics. */
export const shapes: Record<Exclude<TileKind, "text">, { dimensions: [number, number]; metrics: number }> = {
  number: { dimensions: [0, 0], metrics: 1 }, line: { dimensions: [0, 1], metrics: 8 }, area: { dimensions: [0, 1], metrics: 8 }, bars: { dimensions: [0, 1], metrics: 8 },
  "bar-list": { dimensions: [1, 1], metrics: 1 }, histogram: { dimensions: [0, 0], metrics: 1 }, "heat-map": { dimensions: [1, 1], metrics: 1 }, table: { dimensions: [1, 2], metrics: 8 },
};

export const isOverTime = (kind: TileKind) => kind === "line" || kind === "area" || kind === "bars" || kind === "heat-map";

/** The most rows that one answer has. */
export const mostRows = 1000;

export interface Scope {
  from: string;
  to: string;
  conditions: readonly Condition[];
}

/** What a list calls a column, and scores call theirs. */
const ofScores: Record<string, string> = {
  name: "observationName", model: "observationModelName", providedModelName: "observationModelName", promptName: "observationPromptName", promptVersion: "observationPromptVersion",
  release: "traceRelease", version: "traceVersion", environment: "environment", traceName: "traceName", userId: "userId", sessionId: "sessionId", traceId: "traceId", tags: "tags",
  experimentId: "experimentId", experimentName: "experimentName",
};

/** Conditions of a list in the words of a view, and the columns that it cannot be filtered by. */
export function conditionsFor(view: View, conditions: readonly Condition[]): { filters: Condition[]; foreign: string[] } {
  if (view === "observations") return { filters: [...conditions], foreign: [] };
  const known = conditions.filter(({ column }) => ofScores[column] !== undefined);
  const foreign = conditions.filter(({ column }) => ofScores[column] === undefined).map(({ column }) => column);
  return { filters: known.map((condition) => ({ ...condition, column: ofScores[condition.column]! })), foreign };
}

/** The whole query of a tile for a time, as the server takes it. Buckets without rows are left out: what they mean depends on the metric. */
export function askedOf(tile: Tile, query: TileQuery, scope: Scope) {
  const { filters } = conditionsFor(query.view, scope.conditions);
  const first = query.metrics[0]!;
  const asked = {
    view: query.view, metrics: query.metrics, dimensions: query.dimensions ?? [], filters: [...(query.filters ?? []), ...filters],
    fromTimestamp: scope.from, toTimestamp: lastMoment(scope.to),
  };
  if (tile.kind === "number") return asked;
  if (tile.kind === "histogram") return { ...asked, config: { bins: 24 } };
  const grouped = asked.dimensions.length > 0;
  const order = grouped || !isOverTime(tile.kind) ? { field: keyOf(first), direction: "desc" } : { field: "time_dimension", direction: "asc" };
  const time = isOverTime(tile.kind) ? { timeDimension: { granularity: granularityOf(scope.from, scope.to) } } : {};
  return { ...asked, ...time, orderBy: [order], config: { row_limit: mostRows } };
}

/** Lists leave the end of a range out, metrics take it in. */
const lastMoment = (to: string) => new Date(Date.parse(to) - 1).toISOString();

/** A query as it is kept: one that ranks rows says so, or the server refuses dimensions with very many values. */
export function keptQuery(kind: TileKind, query: TileQuery): TileQuery {
  const { view, metrics, dimensions = [], filters = [] } = query;
  if (kind !== "bar-list" && kind !== "table") return { view, metrics, dimensions, filters };
  return { view, metrics, dimensions, filters, orderBy: [{ field: keyOf(metrics[0]!), direction: "desc" }], config: { row_limit: 100 } };
}
