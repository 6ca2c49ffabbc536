import { formatDuration, formatPercent, none } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { palette } from "@/shared/ui/Chart";
import type { ComparedItem, Experiment, ExperimentFigure, FigureValue } from "./api";

/** What a figure is, whichever experiment has it. */
export interface Figure {
  kind: "score" | "latency" | "cost";
  name: string;
  dataType: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
}

/** The text that stands for a figure in addresses. */
export const figureKey = ({ kind, name, dataType }: Figure) => (kind === "score" ? `score.${dataType.toLowerCase()}.${name}` : kind);

export const sameFigure = (a: Figure, b: Figure) => figureKey(a) === figureKey(b);

/** The name of a figure in headings. */
export function figureTitle({ kind, name }: Figure): string {
  if (kind === "score") return name;
  return kind === "latency" ? "Latency" : "Cost";
}

/** A mean, or the value of one run. A gap is not zero. */
export function figureText({ kind, dataType }: Figure, value: number | string | null | undefined): string {
  if (value === null || value === undefined) return none;
  if (typeof value === "string") return value;
  if (kind === "latency") return formatDuration(value * 1000);
  if (kind === "cost") return formatMoney(shortest(value));
  return dataType === "BOOLEAN" ? formatPercent(value) : shortest(value);
}

/** The value of one run: of a boolean, yes or no. */
export function valueText(figure: FigureValue): string {
  if (figure.dataType === "BOOLEAN") return figure.value === 1 ? "yes" : "no";
  return figureText(figure, figure.value);
}

/** A difference with its sign: "+0.04", "−12.5 %". */
export function deltaText(figure: Figure, delta: number | null | undefined): string {
  if (delta === null || delta === undefined) return none;
  const text = figureText(figure, delta);
  return delta > 0 ? `+${text}` : text.replace(/^-/, "−");
}

/** A number with as many places as it needs to be told from others, three at most unless it is small. */
function shortest(value: number): string {
  if (value === 0) return "0";
  const places = Math.min(12, Math.max(3, 1 - Math.floor(Math.log10(Math.abs(value)))));
  return String(Number(value.toFixed(places)));
}

/** A run with the letter and the color that it keeps on the page. */
export interface Side {
  id: string;
  letter: string;
  /** A token. */
  color: string;
  name: string;
  experiment: Experiment | undefined;
}

export function sidesOf(ids: readonly string[], experiments: readonly Experiment[]): Side[] {
  return ids.map((id, index) => {
    const experiment = experiments.find((one) => one.id === id);
    return { id, letter: String.fromCharCode(65 + index), color: palette[index % palette.length] ?? "span", name: experiment?.name || id, experiment };
  });
}

const kinds = ["score", "latency", "cost"];

/** Scores, then latency and cost. */
export function scoresFirst<T extends Figure>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}

/** The figures that a list of experiments has, each once. */
export function figuresOf(list: readonly ExperimentFigure[]): Figure[] {
  const seen = new Map<string, Figure>();
  for (const { kind, name, dataType } of list) seen.set(figureKey({ kind, name, dataType }), { kind, name, dataType });
  return scoresFirst([...seen.values()]);
}

/** The figures of experiments, by the id of the experiment and the key of the figure. */
export function byExperiment(list: readonly ExperimentFigure[]): Map<string, Map<string, ExperimentFigure>> {
  const table = new Map<string, Map<string, ExperimentFigure>>();
  for (const figure of list) {
    const row = table.get(figure.experimentId) ?? new Map<string, ExperimentFigure>();
    row.set(figureKey(figure), figure);
    table.set(figure.experimentId, row);
  }
  return table;
}

/** A course of one figure over runs, the oldest first. Runs that began in the same second are one second apart. */
export function courseOf(figure: Figure, runs: readonly Experiment[], table: ReturnType<typeof byExperiment>) {
  const inOrder = runs.toSorted((a, b) => a.startTime.localeCompare(b.startTime));
  const times: number[] = [];
  for (const run of inOrder) times.push(Math.max(Math.floor(Date.parse(run.startTime) / 1000), (times.at(-1) ?? 0) + 1));
  const values = inOrder.map((run) => table.get(run.id)?.get(figureKey(figure))?.mean ?? null);
  return { times, values, known: values.filter((value) => value !== null).length };
}

/** A point of a scatter: a run of an item. */
export interface Point {
  itemId: string;
  /** Which of the sides. */
  side: number;
  x: number;
  y: number;
}

/** Runs by two figures. One figure against itself is the baseline against the others. */
export function pointsOf(items: readonly ComparedItem[], sides: readonly Side[], x: string, y: string): Point[] {
  const points: Point[] = [];
  for (const { itemId, runs } of items) {
    const base = runs.find((run) => run.experimentId === sides[0]?.id);
    for (const run of runs) {
      const side = sides.findIndex(({ id }) => id === run.experimentId);
      if (x === y && side === 0) continue;
      const across = numberOf(x === y ? base?.figures : run.figures, x);
      const up = numberOf(run.figures, y);
      if (side >= 0 && across !== undefined && up !== undefined) points.push({ itemId, side, x: across, y: up });
    }
  }
  return points;
}

function numberOf(figures: readonly FigureValue[] | undefined, key: string): number | undefined {
  const value = figures?.find((figure) => figureKey(figure) === key)?.value;
  return typeof value === "number" ? value : undefined;
}

/** What a scatter shows, in a sentence. */
export function scatterSummary(points: readonly Point[], sides: readonly Side[], x: Figure, y: Figure): string {
  const items = new Set(points.map(({ itemId }) => itemId)).size;
  if (points.length === 0) return "No item has both figures.";
  const each = sides.flatMap((side, index) => {
    const own = points.filter((point) => point.side === index);
    if (own.length === 0) return [];
    if (sameFigure(x, y)) {
      const above = own.filter((point) => point.y > point.x).length;
      const below = own.filter((point) => point.y < point.x).length;
      return [`${side.letter} is above the baseline for ${above}, below for ${below} and equal for ${own.length - above - below}`];
    }
    return [`${side.letter} has on average ${figureText(x, mean(own.map((point) => point.x)))} across and ${figureText(y, mean(own.map((point) => point.y)))} up`];
  });
  return `${points.length} runs of ${items} items. ${each.join("; ")}.`;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Round marks between two ends, about five. */
export function ticksOf(low: number, high: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? rough;
  const marks = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) marks.push(Number(at.toPrecision(12)));
  return marks;
}
