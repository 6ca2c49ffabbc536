import { none } from "@/shared/lib/format";
import { Checkbox } from "@/shared/ui/Checkbox";
import { Select } from "@/shared/ui/Select";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { mapRow, type Target, targetLabels, type TextTarget, textTargets } from "./mapping";
import type { Chosen, Import } from "./useImport";

const options = (["input", "expectedOutput", "metadata", "id", "none"] as const).map((value: Target) => ({ value, label: targetLabels[value] }));

const cut = (text: string | undefined, length = 120) => (text === undefined ? none : text.length > length ? `${text.slice(0, length)}…` : text);

type Made = { line: number } & ReturnType<typeof mapRow>;

function Value({ made, target }: { made: Made; target: TextTarget }) {
  if ("row" in made) return <span className="font-mono text-2xs break-all">{cut(made.row[target])}</span>;
  return target === "input" ? <span className="text-danger">{made.failure.message}</span> : none;
}

const itemColumns: ShortColumn<Made>[] = [
  { header: "Line", cell: ({ line }) => line },
  { header: "Id", cell: (made) => <span className="break-all">{"row" in made ? (made.row.id ?? "made of its content") : none}</span> },
  ...textTargets.map((target): ShortColumn<Made> => ({ header: targetLabels[target], cell: (made) => <Value made={made} target={target} /> })),
];

/** What becomes of each column, and of the first rows by that. */
export function MappingTable({ work, chosen: { columns, rows, format } }: { work: Import; chosen: Chosen }) {
  const { mapping, notation, asText, setAsText, check, write } = work;
  const busy = check.isPending || write.isPending;
  return (
    <div className="flex flex-col gap-4">
      <ul aria-label="Columns" className="flex flex-col divide-y divide-line">
        {columns.map((column) => <ColumnChoice key={column} column={column} work={work} busy={busy} first={rows.find(({ values }) => values.has(column))?.values.get(column)} />)}
      </ul>
      {format === "csv" && <Checkbox checked={asText} disabled={busy} onChange={setAsText} hint="Else cells that are JSON, such as numbers and objects, become what they are.">Take all cells as text</Checkbox>}
      <div className="flex flex-col gap-1">
        <h3 className="text-xs font-medium text-text-2">The first rows, as items</h3>
        <ShortTable label="The first rows, as items" columns={itemColumns} rows={rows.map((row) => ({ line: row.line, ...mapRow(row, mapping, notation) }))} keyOf={({ line }) => String(line)} />
      </div>
    </div>
  );
}

function ColumnChoice({ column, work: { mapping, map }, busy, first }: { column: string; work: Import; busy: boolean; first: string | undefined }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-1.5 sm:grid-cols-[12rem_10rem_minmax(0,1fr)]">
      <span className="text-sm font-medium break-all">{column}</span>
      <Select label={`${column} becomes`} labelHidden className="w-40" disabled={busy} value={mapping.get(column) ?? "none"} onChange={(target) => map(column, target)} options={options} />
      <span className="truncate font-mono text-2xs text-text-2 max-sm:col-span-2">{cut(first, 200)}</span>
    </li>
  );
}
