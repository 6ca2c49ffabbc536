/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- a table that is laid out as stacks is none to some browsers; roles say that it is */
import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { cx } from "@/shared/lib/classes";
import { IconButton } from "./IconButton";

export interface DetailColumn<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: "end";
  /** It names the row: in a stack it needs no header. */
  lead?: boolean;
  /** Only for those who do not see it: over buttons. */
  headerHidden?: boolean;
  /** Width and the like. */
  className?: string;
}

export interface DetailTableProps<Row> {
  label: string;
  columns: readonly DetailColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  nameOf: (row: Row) => string;
  /** What a row shows below it once it is opened. */
  details: (row: Row) => ReactNode;
}

/** Up to a few hundred rows that open to more than fits in a line. Where it is narrow each row is a stack of its cells. */
export function DetailTable<Row>({ label, columns, rows, keyOf, nameOf, details }: DetailTableProps<Row>) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => setOpen((before) => (before.has(key) ? new Set([...before].filter((other) => other !== key)) : new Set([...before, key])));
  return (
    <div className="@container min-w-0">
      <table role="table" aria-label={label} className="w-full border-collapse text-xs @max-3xl:block">
        <thead role="rowgroup" className="@max-3xl:sr-only">
          <tr role="row" className="h-(--row) border-b border-line text-2xs text-text-2">
            <th role="columnheader" scope="col" className="w-9"><span className="sr-only">Details</span></th>
            {columns.map(({ id, header, align, headerHidden = false, className }) => (
              <th key={id} role="columnheader" scope="col" className={cx("px-2 font-medium", align === "end" ? "text-right" : "text-left", className)}>
                <span className={headerHidden ? "sr-only" : undefined}>{header}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="@max-3xl:block">
          {rows.map((row) => {
            const key = keyOf(row);
            return <DetailRow key={key} row={row} name={nameOf(row)} columns={columns} details={details} open={open.has(key)} onToggle={() => toggle(key)} />;
          })}
        </tbody>
      </table>
    </div>
  );
}

interface DetailRowProps<Row> {
  row: Row;
  name: string;
  columns: readonly DetailColumn<Row>[];
  details: (row: Row) => ReactNode;
  open: boolean;
  onToggle: () => void;
}

const stackedRow = "@max-3xl:relative @max-3xl:block @max-3xl:h-auto @max-3xl:py-2 @max-3xl:pl-9 pointer-coarse:@max-3xl:pl-12";
const stackedCell = "@max-3xl:flex @max-3xl:w-auto @max-3xl:max-w-none @max-3xl:items-center @max-3xl:gap-2 @max-3xl:px-0 @max-3xl:py-0.5";

function DetailRow<Row>({ row, name, columns, details, open, onToggle }: DetailRowProps<Row>) {
  const id = useId();
  return (
    <>
      <tr role="row" className={cx("h-(--row) hover:bg-surface", stackedRow, !open && "border-b border-line")}>
        <td role="cell" className="text-center @max-3xl:absolute @max-3xl:top-1 @max-3xl:left-0">
          <IconButton icon={open ? ChevronDown : ChevronRight} label={`Details of ${name}`} aria-expanded={open} aria-controls={open ? id : undefined} className="size-6 pointer-coarse:size-11" onClick={onToggle} />
        </td>
        {columns.map((column) => (
          <td key={column.id} role="cell" className={cx("px-2 py-1", stackedCell, column.align === "end" && "text-right", column.className)}>
            {!column.headerHidden && !column.lead && <span aria-hidden className="w-24 shrink-0 text-left text-2xs text-text-3 @3xl:hidden">{column.header}</span>}
            <div className="min-w-0 @max-3xl:text-left">{column.cell(row)}</div>
          </td>
        ))}
      </tr>
      {open && (
        <tr role="row" id={id} className="border-b border-line @max-3xl:block">
          <td role="cell" colSpan={columns.length + 1} className="pr-2 pb-3 pl-11 @max-3xl:block @max-3xl:pl-9 pointer-coarse:@max-3xl:pl-12">{details(row)}</td>
        </tr>
      )}
    </>
  );
}
