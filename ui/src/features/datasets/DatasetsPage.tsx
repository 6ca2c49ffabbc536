import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Database, Folder as FolderIcon, Plus, SearchX } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { formatCount, formatNumberOf, none } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import type { Column } from "@/shared/table/columns";
import { DataTable } from "@/shared/table/DataTable";
import { useMedia } from "@/shared/table/useMedia";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { TextField } from "@/shared/ui/TextField";
import { summariesQuery } from "./api";
import { Crumbs } from "./Crumbs";
import { contentOf, type DatasetSummary, type Folder, searchDatasets, shortName } from "./folders";

const DatasetDialog = lazy(async () => ({ default: (await import("./DatasetDialog")).DatasetDialog }));

type Entry = { folder: Folder } | { dataset: DatasetSummary; name: string };

const keyOf = (entry: Entry) => ("folder" in entry ? `folder ${entry.folder.path}` : entry.dataset.id);
const nameOf = (entry: Entry) => ("folder" in entry ? `Folder ${entry.folder.name}` : entry.name);

/** The datasets of a project, in the folders that their names make. */
export function DatasetsPage() {
  const project = useProject();
  const navigate = useNavigate();
  const [folder, setFolder] = useUrlState("folder", "", { push: true });
  const [q, setQ] = useUrlState("q");
  const [making, setMaking] = useState(false);
  const phone = useMedia("(max-width: 639px)");
  const { data, error, isPending, refetch } = useQuery(summariesQuery(project));
  const entries = useMemo(() => entriesOf(data ?? [], folder, q), [data, folder, q]);
  const rows = useMemo(() => ({ first: 0, list: entries, more: false }), [entries]);
  const open = useCallback(
    (entry: Entry) => ("folder" in entry ? setFolder(entry.folder.path) : void navigate({ to: "/project/$projectId/datasets/$datasetId", params: { projectId: project.id, datasetId: entry.dataset.id } })),
    [navigate, project.id, setFolder],
  );
  const mayWrite = allows(project.role, "MEMBER");
  const make = <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>New dataset</Button>;
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader title="Datasets" actions={mayWrite && make}>
        <Crumbs path={folder} />
        <span role="status" className="text-xs text-text-3 max-sm:sr-only">{data === undefined ? "" : formatNumberOf(q === "" ? data.filter(({ name }) => folder === "" || name.startsWith(`${folder}/`)).length : entries.length, "dataset")}</span>
      </PageHeader>
      <div className="px-3 py-2"><TextField label="Find a dataset" labelHidden type="search" placeholder="Words of a name or a description, in all folders" value={q} onChange={setQ} className="max-w-md" /></div>
      <DataTable
        label="Datasets" known={known} shown={shown} card={phone ? card : undefined} rows={rows} keyOf={keyOf} nameOf={nameOf} total={entries.length} onOpen={open} onPeek={open}
        instead={
          error !== null ? <ErrorState error={error} onRetry={() => void refetch()} />
          : isPending ? <SkeletonRows rows={8} label="Loading datasets" />
          : entries.length > 0 ? undefined
          : <Nothing filtered={q !== "" || folder !== ""} onAll={() => void navigate({ to: ".", search: {} as never })} make={mayWrite ? make : undefined} />
        }
      />
      {making && <Suspense><DatasetDialog start={folder === "" ? "" : `${folder}/`} onClose={() => setMaking(false)} onSaved={(datasetId) => void navigate({ to: "/project/$projectId/datasets/$datasetId", params: { projectId: project.id, datasetId } })} /></Suspense>}
    </div>
  );
}

function entriesOf(all: readonly DatasetSummary[], folder: string, q: string): Entry[] {
  if (q.trim() !== "") return searchDatasets(all, q).map((dataset) => ({ dataset, name: dataset.name }));
  const content = contentOf(all, folder);
  return [...content.folders.map((each) => ({ folder: each })), ...content.datasets.map((dataset) => ({ dataset, name: shortName(dataset.name) }))];
}

function Nothing({ filtered, onAll, make }: { filtered: boolean; onAll: () => void; make: React.ReactNode }) {
  if (filtered) return <EmptyState icon={SearchX} title="No dataset is like that" actions={<Button onClick={onAll}>Show all datasets</Button>} />;
  return (
    <EmptyState icon={Database} title="No datasets yet" actions={make}>
      A dataset holds inputs with what is expected of them, to run an application against. Make one here and import a CSV or JSONL file, or add items from traces: select rows in the list of traces and choose “Add to dataset”.
    </EmptyState>
  );
}

function Name({ entry }: { entry: Entry }) {
  const { id: projectId } = useProject();
  const isFolder = "folder" in entry;
  const Icon = isFolder ? FolderIcon : Database;
  const text = isFolder ? entry.folder.name : entry.name;
  const search = isFolder ? { folder: entry.folder.path } : {};
  const params = { projectId, datasetId: isFolder ? "" : entry.dataset.id };
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Icon size={14} aria-hidden className="shrink-0 text-text-3" />
      <Link to={isFolder ? "/project/$projectId/datasets" : "/project/$projectId/datasets/$datasetId"} params={params} search={search as never} className="truncate font-medium hover:underline" tabIndex={-1}>
        {isFolder && <span className="sr-only">Folder </span>}
        {text}
      </Link>
    </span>
  );
}

const ofDataset = (entry: Entry, cell: (dataset: DatasetSummary) => React.ReactNode) => ("folder" in entry ? "" : cell(entry.dataset));

function Schema({ dataset }: { dataset: DatasetSummary }) {
  if (!dataset.hasInputSchema && !dataset.hasExpectedOutputSchema) return <span className="text-text-3">{none}</span>;
  return <span className="flex gap-1">{dataset.hasInputSchema && <Badge>input</Badge>}{dataset.hasExpectedOutputSchema && <Badge>output</Badge>}</span>;
}

const columns: Column<Entry>[] = [
  { id: "name", header: "Name", cell: (entry) => <Name entry={entry} />, width: 260 },
  { id: "items", header: "Items", align: "end", cell: (entry) => ("folder" in entry ? <span title={`in ${formatNumberOf(entry.folder.datasets, "dataset")}`}>{formatCount(entry.folder.items)}</span> : formatCount(entry.dataset.activeItems)), width: 72 },
  { id: "archived", header: "Archived", align: "end", cell: (entry) => ofDataset(entry, ({ archivedItems }) => <span className="text-text-3">{formatCount(archivedItems)}</span>), width: 80 },
  { id: "schema", header: "Schema", cell: (entry) => ofDataset(entry, (dataset) => <Schema dataset={dataset} />), width: 132 },
  { id: "changed", header: "Items changed", cell: (entry) => ofDataset(entry, ({ itemsChangedAt }) => <RelativeTime value={itemsChangedAt} className="whitespace-nowrap text-text-2" />), width: 128 },
  { id: "description", header: "Description", cell: (entry) => ("folder" in entry ? <span className="text-text-3">{formatNumberOf(entry.folder.datasets, "dataset")}</span> : <span className="truncate text-text-2" title={entry.dataset.description ?? undefined}>{entry.dataset.description}</span>), width: 240, grows: true },
];

const known: ReadonlyMap<string, Column<Entry>> = new Map(columns.map((column) => [column.id, column]));
const shown = columns.map(({ id }) => ({ id, pinned: id === "name" }));
const card = {
  height: 56,
  column: {
    id: "card", header: "Dataset", width: 0, grows: true,
    cell: (entry: Entry) => (
      <span className="flex min-w-0 flex-1 flex-col gap-0.5 px-1">
        <Name entry={entry} />
        <span className="flex gap-3 text-text-2">{"folder" in entry ? formatNumberOf(entry.folder.datasets, "dataset") : <>{formatNumberOf(entry.dataset.activeItems, "item")}<RelativeTime value={entry.dataset.itemsChangedAt} className="text-text-3" /></>}</span>
      </span>
    ),
  },
};
