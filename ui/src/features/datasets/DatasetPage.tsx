import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Download, FileUp, Plus, Settings2 } from "lucide-react";
import { lazy, Suspense, useCallback, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { DataTable } from "@/shared/table/DataTable";
import { useMedia } from "@/shared/table/useMedia";
import { useRowPages } from "@/shared/table/useRowPages";
import { Banner } from "@/shared/ui/Banner";
import { Button, buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { SweepBar } from "@/shared/ui/SweepBar";
import { TextField } from "@/shared/ui/TextField";
import { type Dataset, datasetQuery, type ItemRow, loadRows, rowsKey } from "./api";
import { Crumbs } from "./Crumbs";
import { shortName } from "./folders";
import { card, known, shown } from "./itemColumns";
import { useSettled } from "./useSettled";
import { VersionPicker } from "./VersionPicker";

const DatasetDialog = lazy(async () => ({ default: (await import("./DatasetDialog")).DatasetDialog }));
const ExportDialog = lazy(async () => ({ default: (await import("./ExportDialog")).ExportDialog }));

/** A dataset: its items as they are, or as they were. */
export function DatasetPage() {
  const project = useProject();
  const { datasetId } = useParams({ strict: false }) as { datasetId: string };
  const { data, error, refetch } = useQuery(datasetQuery(project, datasetId));
  if (error !== null) return <><h1 className="sr-only">Dataset</h1><ErrorState error={error} onRetry={() => void refetch()} /></>;
  if (data === undefined) return <><h1 className="sr-only">Dataset</h1><SkeletonRows rows={14} label="Loading the dataset" /></>;
  return <Items key={datasetId} dataset={data} />;
}

const statuses = [{ value: "ACTIVE", label: "Active" }, { value: "ARCHIVED", label: "Archived" }, { value: "ALL", label: "All" }] as const;
type Status = (typeof statuses)[number]["value"];

function Items({ dataset }: { dataset: Dataset }) {
  const project = useProject();
  const navigate = useNavigate();
  const [search, setSearch] = useUrlState("q");
  const [status, setStatus] = useUrlState("status", "ACTIVE");
  const [version, setVersion] = useUrlState("version", "", { push: true });
  const phone = useMedia("(max-width: 639px)");
  const asked = { search: useSettled(search), status: statuses.find(({ value }) => value === status)?.value ?? "ACTIVE", version };
  const pages = useRowPages(rowsKey(project, dataset.id, asked), true, (cursor, signal) => loadRows(project, dataset.id, asked, cursor, signal));
  const open = useCallback(
    ({ id: itemId }: ItemRow) => void navigate({ to: "/project/$projectId/datasets/$datasetId/items/$itemId", params: { projectId: project.id, datasetId: dataset.id, itemId }, search: (version === "" ? {} : { version }) as never }),
    [navigate, project.id, dataset.id, version],
  );
  const total = pages.head?.total;
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader title={shortName(dataset.name)} documentTitle={`${dataset.name} · Datasets`} actions={<Actions dataset={dataset} />}>
        <Crumbs path={dataset.name.slice(0, Math.max(0, dataset.name.lastIndexOf("/")))} dataset={dataset.name.includes("/") ? undefined : { id: dataset.id, name: shortName(dataset.name) }} />
        <span role="status" className="text-xs text-text-3 max-sm:sr-only">{total === undefined || pages.stale ? "" : formatNumberOf(total, "item")}</span>
      </PageHeader>
      {dataset.description !== null && <p className="px-4 pt-2 text-sm text-text-2">{dataset.description}</p>}
      <div className="flex flex-wrap items-end gap-2 px-3 py-2">
        <TextField label="Search items" labelHidden type="search" placeholder="A text in ids, inputs, outputs or metadata" value={search} onChange={setSearch} className="min-w-48 flex-1 max-w-md" />
        <SegmentedControl label="Status" value={asked.status} onChange={(next: Status) => setStatus(next)} segments={statuses} />
        <VersionPicker datasetId={dataset.id} value={version} onChange={setVersion} />
      </div>
      {version !== "" && (
        <Banner className="mx-3 mb-2" actions={<Button onClick={() => setVersion("")}>Show them as they are</Button>}>Items as they were at <AbsoluteTime value={version} millis />.</Banner>
      )}
      <SweepBar busy={pages.busy && !pages.pending} />
      <DataTable
        label={`Items of ${dataset.name}`} known={known} shown={shown} card={phone ? card : undefined} rows={pages.rows} keyOf={idOf} nameOf={idOf} total={total} onOpen={open} onPeek={open} onVisible={pages.look}
        instead={
          pages.error !== null && pages.rows.list.length === 0 ? <ErrorState error={pages.error} onRetry={pages.retry} />
          : pages.rows.list.length > 0 ? undefined
          : pages.pending || pages.stale ? <SkeletonRows rows={14} label="Loading items" />
          : <Nothing dataset={dataset} filtered={search !== "" || version !== "" || status !== "ACTIVE"} onAll={() => void navigate({ to: ".", search: {} as never })} />
        }
      />
    </div>
  );
}

const idOf = ({ id }: { id: string }) => id;

function Nothing({ dataset, filtered, onAll }: { dataset: Dataset; filtered: boolean; onAll: () => void }) {
  const { id: projectId, role } = useProject();
  if (filtered) return <EmptyState title="No item is like that" actions={<Button onClick={onAll}>Show all active items</Button>} />;
  const params = { projectId, datasetId: dataset.id };
  return (
    <EmptyState
      title="No items yet"
      actions={allows(role, "MEMBER") && <><Link to="/project/$projectId/datasets/$datasetId/import" params={params} className={buttonClass("primary")}>Import a file</Link><Link to="/project/$projectId/datasets/$datasetId/new" params={params} className={buttonClass()}>Write an item</Link></>}
    >
      Import a CSV or JSONL file, write items here, or add them from traces. {dataset.archivedItems > 0 && `${formatCount(dataset.archivedItems)} are archived.`}
    </EmptyState>
  );
}

function Actions({ dataset }: { dataset: Dataset }) {
  const { id: projectId, role } = useProject();
  const [dialog, setDialog] = useState<"edit" | "export" | null>(null);
  const params = { projectId, datasetId: dataset.id };
  const mayWrite = allows(role, "MEMBER");
  const close = () => setDialog(null);
  return (
    <>
      {mayWrite && <Button icon={Settings2} onClick={() => setDialog("edit")}>Schema</Button>}
      <Button icon={Download} onClick={() => setDialog("export")}>Export</Button>
      {mayWrite && <Link to="/project/$projectId/datasets/$datasetId/import" params={params} search={{} as never} className={buttonClass()}><FileUp size={14} aria-hidden />Import</Link>}
      {mayWrite && <Link to="/project/$projectId/datasets/$datasetId/new" params={params} search={{} as never} className={buttonClass("primary")}><Plus size={14} aria-hidden />New item</Link>}
      <Suspense>
        {dialog === "edit" && <DatasetDialog dataset={dataset} onClose={close} onSaved={close} />}
        {dialog === "export" && <ExportDialog dataset={dataset} onClose={close} />}
      </Suspense>
    </>
  );
}
