import { hit, type Marks } from "./folds";
import type { TraceRows } from "./rows";

/** Rows by the time they started, however deep they are; with marks, only what a find hits. */
export function logOf(rows: TraceRows, length: number, marks?: Marks): Int32Array {
  const list = new Int32Array(length);
  let count = 0;
  for (let row = 0; row < length; row++) {
    if (!rows.isSynthetic(row) && (marks === undefined || (marks[row]! & hit) !== 0)) list[count++] = row;
  }
  return list.slice(0, count).sort((a, b) => rows.start[a]! - rows.start[b]! || a - b);
}
