/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- boxes that are laid out by flex are no table to some browsers; roles say that they are */
import { memo, type MouseEvent, useRef } from "react";
import { cx } from "@/shared/lib/classes";
import { Checkbox } from "@/shared/ui/Checkbox";
import { Skeleton } from "@/shared/ui/Skeleton";
import { checkWidth, type Placed } from "./layout";

export interface TableRowProps<Row> {
  row: Row;
  index: number;
  top: number;
  height: number;
  columns: readonly Placed<Row>[];
  /** What the row is called, for its checkbox. */
  name: string;
  current: boolean;
  /** It is the one that is open beside the list. */
  open: boolean;
  /** Undefined: rows cannot be ticked. */
  selected: boolean | undefined;
  onSelect: (index: number, range: boolean) => void;
  onPress: (index: number) => void;
}

/** Over the cells: pinned ones would hide an outline of the row itself. */
const focusRing = "focus-visible:after:pointer-events-none focus-visible:after:absolute focus-visible:after:inset-0 focus-visible:after:z-3 focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus";

const controls = "a,button,input,label,summary";

function Row<Row>({ row, index, top, height, columns, name, current, open, selected, onSelect, onPress }: TableRowProps<Row>) {
  const shift = useRef(false);
  const press = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest(controls) === null && !document.getSelection()?.toString()) onPress(index);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the table takes the keys of all rows
    <tr
      role="row" aria-rowindex={index + 2} data-index={index} tabIndex={current ? 0 : -1} aria-current={open ? "true" : undefined} onClick={press}
      className={cx("group/row absolute inset-x-0 flex cursor-default items-stretch border-b border-line text-xs outline-none", focusRing, rowColor(open, selected))}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      {selected !== undefined && (
        <td role="cell" className={cx("sticky left-0 z-2 flex items-center justify-center", rowColor(open, selected))} style={{ flex: `0 0 ${checkWidth}px` }} onClickCapture={(event) => (shift.current = event.shiftKey)}>
          <Checkbox checked={selected} aria-label={`Select ${name}`} tabIndex={-1} className="pointer-coarse:justify-center pointer-coarse:min-w-9" onChange={() => onSelect(index, shift.current)} />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id} role="cell" style={column.style}
          className={cx("flex min-w-0 items-center gap-1.5 overflow-hidden px-2", column.align === "end" && "justify-end text-right", column.pinned && cx("sticky z-1", rowColor(open, selected)))}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Opaque: pinned cells lie over others that scroll. */
function rowColor(open: boolean, selected: boolean | undefined): string {
  if (open || selected) return "bg-selected";
  return "bg-bg group-hover/row:bg-surface";
}

/** Rows are drawn anew only when something of theirs changed: lists scroll through thousands. */
export const TableRow = memo(Row) as typeof Row;

/** Where a row will be once it has arrived. */
export function PendingRow({ index, top, height, columns }: { index: number; top: number; height: number; columns: number }) {
  return (
    <tr role="row" aria-rowindex={index + 2} aria-busy className="absolute inset-x-0 flex items-center border-b border-line" style={{ height, transform: `translateY(${top}px)` }}>
      <td role="cell" aria-colspan={columns} className="flex-1 px-3"><span className="sr-only">Loading</span><Skeleton className={["w-2/5", "w-1/3", "w-1/2"][index % 3]} /></td>
    </tr>
  );
}
