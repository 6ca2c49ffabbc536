import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import type { Column } from "@/shared/table/columns";
import { AbsoluteTime, RelativeTime } from "@/shared/ui/RelativeTime";
import type { Experiment } from "./api";
import { type byExperiment, type Figure, figureKey, figureText, figureTitle } from "./model";

type Table = ReturnType<typeof byExperiment>;

function NameLink({ row }: { row: Experiment }) {
  const { id: projectId } = useProject();
  return (
    <Link to="/project/$projectId/experiments/results" params={{ projectId }} search={{ baseline: row.id } as never} className="truncate font-medium hover:underline" tabIndex={-1} title={row.description ?? row.id}>
      {row.name || row.id}
    </Link>
  );
}

function DatasetLink({ datasetId, name }: { datasetId: string | null; name: string | undefined }) {
  const { id: projectId } = useProject();
  if (datasetId === null) return <span className="text-text-3">no dataset</span>;
  return <Link to="/project/$projectId/datasets/$datasetId" params={{ projectId, datasetId }} className="truncate hover:underline" tabIndex={-1} title={name ?? datasetId}>{name ?? datasetId}</Link>;
}

export function columnsOf(figures: readonly Figure[], table: Table, datasets: ReadonlyMap<string, string>): Column<Experiment>[] {
  return [
    { id: "name", header: "Run", cell: (row) => <NameLink row={row} />, width: 240, grows: true },
    { id: "items", header: "Items", cell: (row) => formatCount(row.itemCount), width: 72, align: "end" },
    ...figures.map((figure): Column<Experiment> => ({ id: figureKey(figure), header: figureTitle(figure), cell: (row) => <Mean row={row} figure={figure} table={table} />, width: figure.dataType === "CATEGORICAL" ? 160 : 100, align: figure.dataType === "CATEGORICAL" ? undefined : "end" })),
    { id: "dataset", header: "Dataset", cell: ({ datasetId }) => <DatasetLink datasetId={datasetId} name={datasets.get(datasetId ?? "")} />, width: 160 },
    { id: "startTime", header: "Started", cell: (row) => <AbsoluteTime value={row.startTime} className="whitespace-nowrap text-text-2" />, width: 150 },
  ];
}

function Mean({ row, figure, table }: { row: Experiment; figure: Figure; table: Table }) {
  const own = table.get(row.id)?.get(figureKey(figure));
  if (own?.mean === null) return <span className="truncate">{own.values.map(({ value, count }) => `${value} ${count}`).join(", ")}</span>;
  return <span title={own === undefined ? undefined : formatNumberOf(own.count, "item")}>{figureText(figure, own?.mean)}</span>;
}

/** How a run looks where there is no room for columns. */
export function cardOf(figures: readonly Figure[], table: Table) {
  return { height: 60, column: { id: "card", header: "Run", cell: (row: Experiment) => <Card row={row} figures={figures} table={table} />, width: 0, grows: true } };
}

function Card({ row, figures, table }: { row: Experiment; figures: readonly Figure[]; table: Table }) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-0.5 px-1">
      <div className="flex items-center gap-1.5">
        <span className="min-w-0 flex-1 truncate text-sm font-medium">{row.name || row.id}</span>
        <RelativeTime value={row.startTime} className="shrink-0 text-text-3" />
      </div>
      <div className="flex min-w-0 gap-3 truncate text-text-2">
        <span>{formatNumberOf(row.itemCount, "item")}</span>
        {figures.slice(0, 3).map((figure) => <span key={figureKey(figure)} className="truncate">{figureTitle(figure)} <Mean row={row} figure={figure} table={table} /></span>)}
      </div>
    </div>
  );
}
