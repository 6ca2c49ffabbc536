import { formatCount } from "@/shared/lib/format";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { type RowFailure, targetLabels } from "./mapping";
import type { ImportResult } from "./run";

const fieldName = (field: string) => (field === "line" ? "The line" : ((targetLabels as Record<string, string>)[field] ?? field));

const columns: ShortColumn<RowFailure & { key: string }>[] = [
  { header: "Line", cell: ({ line }) => formatCount(line) },
  { header: "Id", cell: ({ id }) => <span className="break-all">{id ?? ""}</span> },
  { header: "Where", cell: ({ field, path }) => <span className="break-all">{fieldName(field)}{path != null && <code className="ml-1 font-mono text-2xs">{path}</code>}</span> },
  { header: "Why", cell: ({ message }) => <span className="text-danger">{message}</span> },
];

/** The rows that would fail, by line and place. */
export function Failures({ result: { failures, failed } }: { result: ImportResult }) {
  if (failures.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <div tabIndex={0} role="region" aria-label="Rows that would fail" className="max-h-80 overflow-auto rounded-md border border-line p-3">
      <ShortTable label="Rows that would fail" columns={columns} rows={failures.map((failure, index) => ({ ...failure, key: `${failure.line} ${index}` }))} keyOf={({ key }) => key} />
      {failed > failures.length && <p className="pt-2 text-xs text-text-3">The first {formatCount(failures.length)} of what was found; {formatCount(failed)} rows would fail.</p>}
    </div>
  );
}
