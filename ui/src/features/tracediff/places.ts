import { addMoney } from "@/shared/lib/money";
import { type Change, changeOf, align } from "@/shared/trace/align";
import type { TraceRows } from "@/shared/trace/rows";

/** The two traces of a page. */
export interface Pair {
  a: TraceRows;
  b: TraceRows;
}

/** One place of the comparison. */
export interface Place {
  /** Stands in the address: the id of its row, of the first trace where it has one. */
  key: string;
  left: number;
  right: number;
  depth: number;
  change: Change;
}

/** The rows of B that A does not have are marked, since ids of both may be the same. */
const ofB = "b:";

export function placesOf({ a, b }: Pair): Place[] {
  const found = align(a, b);
  return Array.from(found.a, (left, at) => {
    const right = found.b[at]!;
    return { key: left < 0 ? ofB + b.ids.at(right) : a.ids.at(left), left, right, depth: found.depth[at]!, change: changeOf(a, b, left, right) };
  });
}

/** The places that differ, with those above them. */
export function onlyChanges(places: readonly Place[]): Place[] {
  const kept = new Set<Place>();
  const path: Place[] = [];
  for (const place of places) {
    path.length = place.depth - 1;
    path[place.depth - 1] = place;
    if (place.change !== "same") for (const each of path) kept.add(each);
  }
  return places.filter((place) => kept.has(place));
}

export interface Figure {
  before: number | null;
  after: number | null;
  /** Null where one of them is not known: a gap is not zero. */
  delta: number | null;
}

const figure = (before: number | null, after: number | null): Figure => ({ before, after, delta: before === null || after === null ? null : after - before });
const known = (rows: TraceRows, column: Float64Array, row: number) => (row < 0 || row >= rows.length || column[row]! < 0 ? null : column[row]!);

export const durationOf = ({ a, b }: Pair, { left, right }: Place): Figure => figure(known(a, a.duration, left), known(b, b.duration, right));
export const tokensOf = ({ a, b }: Pair, { left, right }: Place): Figure => figure(known(a, a.total, left), known(b, b.total, right));

export interface MoneyFigure {
  before: string | null;
  after: string | null;
  delta: string | null;
}

/** Exact to the last digit. */
export function moneyBetween(before: string | null, after: string | null): MoneyFigure {
  if (before === null || after === null) return { before, after, delta: null };
  return { before, after, delta: addMoney([after, before.startsWith("-") ? before.slice(1) : `-${before}`]) };
}

export function costOf({ a, b }: Pair, { left, right }: Place): MoneyFigure {
  const cost = (rows: TraceRows, row: number) => (row < 0 || rows.costs.isEmpty(row) ? null : rows.costs.at(row));
  return moneyBetween(cost(a, left), cost(b, right));
}

export function countChanges(places: readonly Place[]): Record<Change, number> {
  const counts: Record<Change, number> = { same: 0, changed: 0, added: 0, removed: 0 };
  for (const { change } of places) counts[change]++;
  return counts;
}

/** With its sign: "+1.2 s". */
export function signed(text: string, isNegative: boolean, isZero: boolean): string {
  return isZero ? "±0" : isNegative ? text : `+${text}`;
}
