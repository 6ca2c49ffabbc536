/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- boxes that are laid out by flex are no table to some browsers; roles say that they are */
import { ArrowDown, ArrowUp } from "lucide-react";
import { type PointerEvent, useRef } from "react";
import { cx } from "@/shared/lib/classes";
import { Checkbox } from "@/shared/ui/Checkbox";
import { checkWidth, minWidth, type Placed } from "./layout";

export interface Sort {
  id: string;
  descending: boolean;
}

export interface TableHeadProps<Row> {
  columns: readonly Placed<Row>[];
  /** The state of the checkbox for all loaded rows; undefined: rows cannot be ticked. */
  ticked: "all" | "some" | "none" | undefined;
  onTick: () => void;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  onWidth?: (id: string, width: number) => void;
}

export function TableHead<Row>({ columns, ticked, onTick, sort, onSort, onWidth }: TableHeadProps<Row>) {
  return (
    <thead role="rowgroup" className="sticky top-0 z-10 block">
      <tr role="row" aria-rowindex={1} className="flex h-(--row) border-b border-line bg-surface text-2xs font-medium text-text-2">
        {ticked !== undefined && (
          <th role="columnheader" scope="col" className="sticky left-0 z-2 flex items-center justify-center bg-surface" style={{ flex: `0 0 ${checkWidth}px` }}>
            <Checkbox checked={ticked === "all"} indeterminate={ticked === "some"} aria-label="Select all loaded rows" onChange={onTick} />
          </th>
        )}
        {columns.map((column) => (
          <th
            key={column.id} role="columnheader" scope="col" style={column.style} aria-sort={ariaSort(column.id, sort)}
            className={cx("relative flex min-w-0 items-center px-2 font-medium", column.align === "end" && "justify-end", column.pinned && "sticky z-1 bg-surface")}
          >
            <HeadLabel column={column} sort={sort} onSort={onSort} />
            {onWidth !== undefined && <Resizer width={column.width} onWidth={(width) => onWidth(column.id, width)} />}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function ariaSort(id: string, sort: Sort | undefined) {
  if (sort?.id !== id) return undefined;
  return sort.descending ? "descending" : "ascending";
}

function HeadLabel<Row>({ column, sort, onSort }: { column: Placed<Row>; sort?: Sort; onSort?: (sort: Sort) => void }) {
  const sorted = sort?.id === column.id;
  const Arrow = sort?.descending ? ArrowDown : ArrowUp;
  const content = (
    <>
      <span className="truncate" title={column.header}>{column.header}</span>
      {sorted && <Arrow size={12} aria-hidden className="shrink-0" />}
    </>
  );
  if (!column.sortable || onSort === undefined) return <span className="flex min-w-0 items-center gap-1">{content}</span>;
  return (
    <button type="button" className="flex h-full min-w-0 items-center gap-1 hover:text-text" onClick={() => onSort({ id: column.id, descending: sorted ? !sort.descending : true })}>
      {content}
    </button>
  );
}

/** Drags the edge of a column. Keys set widths in the menu of columns. */
function Resizer({ width, onWidth }: { width: number; onWidth: (width: number) => void }) {
  const from = useRef({ x: 0, width: 0 });
  const move = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    onWidth(Math.max(minWidth, Math.round(from.current.width + event.clientX - from.current.x)));
  };
  return (
    <span
      aria-hidden className="absolute inset-y-1 -right-1 z-3 w-2 cursor-col-resize touch-none border-r border-line hover:border-accent"
      style={{ translate: "-3px" }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width };
      }}
      onPointerMove={move}
    />
  );
}
