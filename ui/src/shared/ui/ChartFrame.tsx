import { ChartLine, Table2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { IconButton } from "./IconButton";

export interface ChartFrameProps {
  title: string;
  /** How much of all is shown, such as "the top 7 of 23". */
  note?: string;
  /** What the chart shows, in a sentence, for those who do not see it. */
  summary: string;
  /** Of the chart and of the table, in pixels. */
  height: number;
  table: ReactNode;
  /** Behind the title: a menu. */
  actions?: ReactNode;
  /** The chart. */
  children: ReactNode;
}

/** What every chart has: a title, what it shows in words, and the same as a table. */
export function ChartFrame({ title, note, summary, height, table, actions, children }: ChartFrameProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <figcaption className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-sm font-medium">{title}{note !== undefined && <span className="font-normal text-text-3">, {note}</span>}</span>
        <span className="sr-only">{summary}</span>
        <IconButton icon={asTable ? ChartLine : Table2} label={asTable ? `View ${title} as chart` : `View ${title} as table`} onClick={() => setAsTable(!asTable)} />
        {actions}
      </figcaption>
      {asTable ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
        <section className="overflow-auto" style={{ height }} tabIndex={0} aria-label={`${title}, table`}>{table}</section>
      ) : children}
    </figure>
  );
}

export interface FigureTableProps {
  /** Of the first column. */
  head: string;
  columns: readonly string[];
  rows: readonly { key: string; label: string; cells: readonly string[] }[];
  /** A cell leads to what it counts. */
  onPoint?: (row: number, column: number) => void;
}

/** Figures in rows and columns. */
export function FigureTable({ head, columns, rows, onPoint }: FigureTableProps) {
  return (
    <table className="w-full text-xs">
      <thead className="sticky top-0 bg-raised text-text-2">
        <tr>
          <th scope="col" className="py-1 pr-3 text-left font-medium">{head}</th>
          {columns.map((column) => <th key={column} scope="col" className="py-1 pl-3 text-right font-medium">{column}</th>)}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, y) => (
          <tr key={row.key} className="border-t border-line">
            <th scope="row" className="max-w-60 truncate py-1 pr-3 text-left font-normal">{row.label}</th>
            {row.cells.map((cell, x) => (
              <td key={columns[x]} className="py-0.5 pl-3 text-right">
                {onPoint === undefined ? cell : <button type="button" className="min-h-6 min-w-6 text-right hover:underline pointer-coarse:min-h-11" onClick={() => onPoint(y, x)}>{cell}</button>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
