import type { TraceRows } from "./rows";

/** Which rows are folded: 1 hides what is below. A value is never changed, each step makes a new one. */
export type Folds = Uint8Array;

/** Which rows a find keeps: bit 1 a hit, bit 2 stands above one. */
export type Marks = Uint8Array;
export const hit = 1;
export const above = 2;

export function noFolds(rows: TraceRows): Folds {
  return new Uint8Array(rows.head.rows);
}

/** The rows to show of the first `length`, in order: a folded row or one that the find left out is skipped with all below it. */
export function visibleRows(rows: TraceRows, folds: Folds, marks?: Marks, length = rows.length): Int32Array {
  const shown = new Int32Array(length);
  let count = 0;
  for (let row = 0; row < length; ) {
    if (marks !== undefined && marks[row] === 0) {
      row = rows.last(row) + 1;
      continue;
    }
    shown[count++] = row;
    row = folds[row] === 1 ? rows.last(row) + 1 : row + 1;
  }
  return count === length ? shown : shown.slice(0, count);
}

/** Where a row is among the shown ones; of a hidden row, where the folded one above it is. -1 when there is none. */
export function positionOf(shown: Int32Array, row: number): number {
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (shown[middle]! <= row) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function setFold(folds: Folds, row: number, folded: boolean): Folds {
  const next = folds.slice();
  next[row] = folded ? 1 : 0;
  return next;
}

/** Folds or opens a row and everything below it. */
export function setFoldsBelow(rows: TraceRows, folds: Folds, row: number, folded: boolean): Folds {
  const next = folds.slice();
  const last = rows.last(row);
  for (let i = row; i <= last; i++) next[i] = folded && rows.children[i]! > 0 ? 1 : 0;
  return next;
}

/** Opens everything above a row, so that it can be seen. */
export function reveal(rows: TraceRows, folds: Folds, row: number): Folds {
  let next = folds;
  for (let parent = rows.parent[row]!; parent >= 0; parent = rows.parent[parent]!) {
    if (next[parent] === 1) next = setFold(next, parent, false);
  }
  return next;
}

/** The next row in a direction that passes, round the end; -1 when none does. Rows that the find left out never pass. */
export function nextRow(rows: TraceRows, from: number, step: 1 | -1, passes: (row: number) => boolean, marks?: Marks): number {
  const n = rows.length;
  for (let distance = 1; distance <= n; distance++) {
    const row = (((from + step * distance) % n) + n) % n;
    if ((marks === undefined || marks[row] !== 0) && passes(row)) return row;
  }
  return -1;
}

/** The folds of a trace after it was read anew: rows may have moved, their ids stay. */
export function carryFolds(before: TraceRows, folds: Folds, after: TraceRows): Folds {
  const next = noFolds(after);
  for (let row = 0; row < before.length; row++) {
    if (folds[row] !== 1) continue;
    const moved = after.ids.findSame(before.ids, row);
    if (moved >= 0) next[moved] = 1;
  }
  return next;
}

/** How many rows are new since a trace was read before, and the first of them. */
export function newRows(before: TraceRows, after: TraceRows): { count: number; first: number } {
  let count = 0;
  let first = -1;
  for (let row = 0; row < after.length; row++) {
    if (after.isSynthetic(row) || before.ids.findSame(after.ids, row) >= 0) continue;
    if (first < 0) first = row;
    count++;
  }
  return { count, first };
}
