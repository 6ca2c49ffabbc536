/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- a table that is laid out as cards is none to some browsers; roles say that it is */
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";

export interface ShortColumn<Row> {
  header: string;
  /** Only for those who do not see it: over buttons. */
  headerHidden?: boolean;
  /** Null: nothing to say of this row. A card leaves it out. */
  cell: (row: Row) => ReactNode;
}

export interface ShortTableProps<Row> {
  label: string;
  /** The first one names the row. */
  columns: readonly ShortColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** A few dozen rows inside of a page, such as keys or members. Where it is narrow each row is a card. Lists that grow are a DataTable. */
export function ShortTable<Row>({ label, columns, rows, keyOf }: ShortTableProps<Row>) {
  return (
    <div className="@container">
      <table role="table" aria-label={label} className="w-full text-xs @max-2xl:block">
        <thead role="rowgroup" className="@max-2xl:sr-only">
          <tr role="row">
            {columns.map(({ header, headerHidden = false }) => (
              <th key={header} role="columnheader" scope="col" className="border-b border-line px-2 pb-1.5 text-left font-medium text-text-2 first:pl-0 last:pr-0">
                <span className={headerHidden ? "sr-only" : undefined}>{header}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="@max-2xl:block">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" className="border-b border-line last:border-0 @max-2xl:flex @max-2xl:flex-col @max-2xl:gap-1 @max-2xl:py-3 @max-2xl:first:pt-0 @max-2xl:last:pb-0">
              {columns.map((column, index) => <Cell key={column.header} column={column} row={row} first={index === 0} />)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column: { header, headerHidden = false, cell }, row, first }: { column: ShortColumn<Row>; row: Row; first: boolean }) {
  const wide = "h-(--row) px-2 py-1.5 align-middle first:pl-0 last:pr-0";
  const narrow = "@max-2xl:flex @max-2xl:h-auto @max-2xl:items-center @max-2xl:gap-3 @max-2xl:p-0";
  const content = cell(row);
  if (first) return <th role="rowheader" scope="row" className={cx(wide, narrow, "text-left font-medium @max-2xl:text-sm")}>{content}</th>;
  return (
    <td role="cell" className={cx(wide, content === null ? "@max-2xl:hidden" : narrow, headerHidden ? "text-right @max-2xl:pt-1" : "text-left @max-2xl:justify-between")}>
      {!headerHidden && <span aria-hidden className="shrink-0 text-text-3 @2xl:hidden">{header}</span>}
      {content}
    </td>
  );
}
