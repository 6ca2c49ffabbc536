import type { CSSProperties } from "react";
import type { Column, Shown } from "./columns";

/** A column as it is drawn. */
export interface Placed<Row> extends Column<Row> {
  pinned: boolean;
  style: CSSProperties;
}

export const minWidth = 56;
export const checkWidth = 36;

/** Puts the shown columns side by side; pinned ones stick to the left, behind the column of ticks. */
export function placeColumns<Row>(known: ReadonlyMap<string, Column<Row>>, shown: readonly Shown[], widths: Readonly<Record<string, number>>, withTicks: boolean): Placed<Row>[] {
  let left = withTicks ? checkWidth : 0;
  return shown.flatMap(({ id, pinned }): Placed<Row>[] => {
    const column = known.get(id);
    if (column === undefined) return [];
    const width = Math.max(minWidth, widths[id] ?? column.width);
    const style: CSSProperties = { flex: `${column.grows ? 1 : 0} 0 ${width}px` };
    if (pinned) {
      style.left = left;
      style.flexGrow = 0;
      left += width;
    }
    return [{ ...column, width, pinned, style }];
  });
}

export function totalWidth(columns: readonly { width: number }[], withTicks: boolean): number {
  return columns.reduce((sum, { width }) => sum + width, withTicks ? checkWidth : 0);
}
