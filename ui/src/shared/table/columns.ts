import type { ReactNode } from "react";

/** A column of a table. Widths are in pixels. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  width: number;
  align?: "end";
  /** Takes the room that is left over. */
  grows?: boolean;
  /** Rows can be sorted by it. */
  sortable?: boolean;
}

/** A column that is shown: which, and whether it stays in sight when the others scroll. */
export interface Shown {
  id: string;
  pinned: boolean;
}

/** Reads the text of an address, "^name,startTime,metadata.region"; the sign ^ pins. Undefined: what is shown at first. */
export function parseColumns(text: string | undefined, initial: readonly Shown[]): Shown[] {
  if (text === undefined || text === "") return [...initial];
  const seen = new Set<string>();
  const shown: Shown[] = [];
  for (const part of text.split(",")) {
    const pinned = part.startsWith("^");
    const id = decode(pinned ? part.slice(1) : part);
    if (id === "" || seen.has(id)) continue;
    seen.add(id);
    shown.push({ id, pinned });
  }
  return pinnedFirst(shown);
}

/** The text for an address; "" when it is what is shown at first. */
export function printColumns(shown: readonly Shown[], initial: readonly Shown[]): string {
  const text = write(shown);
  return text === write(initial) ? "" : text;
}

function write(shown: readonly Shown[]): string {
  return pinnedFirst(shown).map(({ id, pinned }) => (pinned ? "^" : "") + encode(id)).join(",");
}

/** Keys of metadata may have any sign; those with a meaning here are written as in addresses. */
const encode = (id: string) => id.replace(/[%,^]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const decode = (id: string) => id.replace(/%(25|2C|5E)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

export function pinnedFirst(shown: readonly Shown[]): Shown[] {
  return [...shown.filter(({ pinned }) => pinned), ...shown.filter(({ pinned }) => !pinned)];
}

export function toggleColumn(shown: readonly Shown[], id: string): Shown[] {
  return shown.some((one) => one.id === id) ? shown.filter((one) => one.id !== id) : [...shown, { id, pinned: false }];
}

export function togglePin(shown: readonly Shown[], id: string): Shown[] {
  return pinnedFirst(shown.map((one) => (one.id === id ? { ...one, pinned: !one.pinned } : one)));
}

/** Moves a column a place to the left or right; pinned ones stay before the others. */
export function moveColumn(shown: readonly Shown[], id: string, by: -1 | 1): Shown[] {
  const from = shown.findIndex((one) => one.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= shown.length) return [...shown];
  const next = [...shown];
  [next[from], next[to]] = [next[to]!, next[from]!];
  return pinnedFirst(next);
}
