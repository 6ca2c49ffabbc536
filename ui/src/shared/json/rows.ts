import { type Child, childrenOf, type Place, rootOf, type Value } from "./scan";

/** How many children are shown at once; the rest comes by "show more". */
export const pageSize = 200;

export type Row =
  | { kind: "value"; depth: number; value: Value | Child; open: boolean; foldable: boolean }
  | { kind: "more"; depth: number; parent: Value; shown: number };

/** A document with what is open in it. Every change makes a new one; the bytes are never copied. */
export interface Document {
  bytes: Uint8Array;
  root: Value;
  /** By where an open value begins: how many of its children are shown. */
  open: ReadonlyMap<number, number>;
}

/** Opens the first levels while they are short. Throws JsonError when the text is not JSON. */
export function openDocument(bytes: Uint8Array): Document {
  const root = rootOf(bytes);
  return { bytes, root, open: isFoldable(root) ? new Map([[root.start, pageSize]]) : new Map() };
}

export function toggle(document: Document, value: Value): Document {
  const open = new Map(document.open);
  if (!open.delete(value.start)) open.set(value.start, pageSize);
  return { ...document, open };
}

export function showMore(document: Document, parent: Value): Document {
  return { ...document, open: new Map(document.open).set(parent.start, (document.open.get(parent.start) ?? 0) + pageSize) };
}

export function isFoldable(value: Value): boolean {
  return (value.kind === "object" || value.kind === "array") && value.end - value.start > 2;
}

/** The rows on screen, top to bottom. A stack of its own: a text may be nested deeper than calls can be. */
export function rowsOf(document: Document): Row[] {
  const rows: Row[] = [];
  const waiting: Row[] = [valueRow(document, document.root, 0)];
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    if (row.kind === "value" && row.open) waiting.push(...below(document, row.value, row.depth + 1).toReversed());
  }
  return rows;
}

function below(document: Document, parent: Value, depth: number): Row[] {
  const limit = document.open.get(parent.start) ?? pageSize;
  const { children, next } = childrenOf(document.bytes, parent, limit);
  const rows = children.map((child) => valueRow(document, child, depth));
  return next === null ? rows : [...rows, moreRow(parent, depth, next)];
}

function moreRow(parent: Value, depth: number, next: Place): Row {
  return { kind: "more", depth, parent, shown: next.index };
}

function valueRow(document: Document, value: Value, depth: number): Row {
  const foldable = isFoldable(value);
  return { kind: "value", depth, value, foldable, open: foldable && document.open.has(value.start) };
}
