import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FlaskConical, GitCompareArrows, RefreshCw } from "lucide-react";
import { useMemo, useState } from "react";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { formatNumberOf } from "@/shared/lib/format";
import { describeRange, widerRange } from "@/shared/lib/range";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useRange } from "@/shared/lib/useRange";
import { useUrlList, useUrlState } from "@/shared/lib/useUrlState";
import { DataTable } from "@/shared/table/DataTable";
import { useMedia } from "@/shared/table/useMedia";
import { useRowPages } from "@/shared/table/useRowPages";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { RangePicker } from "@/shared/ui/RangePicker";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { SweepBar } from "@/shared/ui/SweepBar";
import { TextField } from "@/shared/ui/TextField";
import { datasetNamesQuery, type Experiment, loadExperiments, loadFigures } from "./api";
import { cardOf, columnsOf } from "./columns";
import { byExperiment, figuresOf } from "./model";
import { RunCharts } from "./RunCharts";
import { maxOthers } from "./useResults";

const idOf = ({ id }: Experiment) => id;
const nameOf = ({ id, name }: Experiment) => name || id;

/** Runs of an application against test data: what each scored, took and cost, and a way to compare them. */
export function ExperimentsPage() {
  const project = useProject();
  const navigate = useNavigate();
  const range = useRange("30d");
  const [name, setName] = useUrlState("q", "", { push: true });
  const [draft, setDraft] = useState(name);
  const [selected, setSelected] = useUrlList("sel");
  const phone = useMedia("(max-width: 639px)");
  const asked = useMemo(() => ({ from: range.from, to: range.to, name }), [range.from, range.to, name]);
  const pages = useRowPages<Experiment>(["experiments", project.id, asked], true, (cursor, signal) => loadExperiments(project, asked, cursor, signal));
  const runs = pages.rows.list;
  const ids = useMemo(() => runs.map(idOf), [runs]);
  const found = useQuery({ queryKey: ["experiment figures", project.id, ids], enabled: ids.length > 0, placeholderData: keepPreviousData, queryFn: ({ signal }) => loadFigures(project, ids, signal) });
  const [figures, table] = useMemo(() => [figuresOf(found.data ?? []), byExperiment(found.data ?? [])] as const, [found.data]);
  const { data: datasets } = useQuery(datasetNamesQuery(project));
  const columns = useMemo(() => columnsOf(figures, table, datasets ?? new Map()), [figures, table, datasets]);
  const known = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const shown = useMemo(() => columns.map(({ id }) => ({ id, pinned: id === "name" })), [columns]);
  const card = useMemo(() => cardOf(figures, table), [figures, table]);
  const selection = useMemo(() => ({ keys: new Set(selected), all: false, anchor: null }), [selected]);

  const open = (baseline: string, others: string[]) => void navigate({ to: "/project/$projectId/experiments/results", params: { projectId: project.id }, search: { baseline, c: others } as never });
  // The run that began first is what the others are held against.
  const compare = () => {
    const byStart = [...selected].toSorted((a, b) => startOf(runs, a).localeCompare(startOf(runs, b)));
    if (byStart[0] !== undefined) open(byStart[0], byStart.slice(1));
  };
  useShortcuts("List", [{ keys: "r", label: "Refresh", run: range.refresh }, { keys: "c", label: "Compare the selected runs", run: compare }]);
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader
        title="Experiments"
        actions={
          <>
            <Button variant="primary" icon={GitCompareArrows} disabled={selected.length === 0 || selected.length > maxOthers + 1} onClick={compare}>{selected.length > 1 ? `Compare ${selected.length} runs` : "Compare"}</Button>
            <RangePicker value={range.range} onChange={range.setRange} now={range.now} />
            <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(pages.busy && "animate-spin")} onClick={range.refresh} />
          </>
        }
      >
        <span role="status" className="text-xs text-text-3">{selected.length > maxOthers + 1 ? `At most ${maxOthers + 1} runs are compared` : selected.length > 0 ? `${selected.length} selected` : pages.pending || pages.stale || pages.rows.more ? "" : formatNumberOf(runs.length, "run")}</span>
      </PageHeader>
      <form role="search" className="px-3 py-2" onSubmit={(event) => (event.preventDefault(), setName(draft.trim()))}>
        <TextField label="Find runs by name" labelHidden type="search" placeholder="Text in the name of a run" value={draft} onChange={setDraft} onBlur={() => setName(draft.trim())} />
      </form>
      <SweepBar busy={(pages.busy && !pages.pending) || found.isFetching} />
      {found.isError && <Banner tone="danger">The scores of these runs could not be read. Refresh to try again.</Banner>}
      {runs.length > 1 && <RunCharts figures={figures} runs={runs} table={table} />}
      <DataTable
        label="Experiments" known={known} shown={shown} card={phone ? card : undefined} rows={pages.rows} keyOf={idOf} nameOf={nameOf} onOpen={(row) => open(row.id, [])} onPeek={(row) => open(row.id, [])}
        selection={selection} onSelection={({ keys }) => setSelected([...keys])} onVisible={pages.look}
        instead={insteadOf(pages, name, range, () => (setDraft(""), setName("")))}
      />
    </div>
  );
}

const startOf = (runs: readonly Experiment[], id: string) => runs.find((run) => run.id === id)?.startTime ?? "";

function insteadOf(pages: ReturnType<typeof useRowPages<Experiment>>, name: string, { range, setRange }: ReturnType<typeof useRange>, clear: () => void) {
  if (pages.error !== null && (pages.rows.list.length === 0 || pages.stale)) return <ErrorState error={pages.error} onRetry={pages.retry} />;
  if (pages.rows.list.length > 0) return undefined;
  if (pages.pending || pages.stale) return <SkeletonRows rows={10} label="Loading runs" />;
  const wider = widerRange(range);
  return (
    <EmptyState icon={FlaskConical} title={name === "" ? "No experiments in this time" : "No experiment has this name"} actions={<><Button onClick={() => setRange(wider)}>{describeRange(wider)}</Button>{name !== "" && <Button variant="ghost" onClick={clear}>Clear the search</Button>}</>}>
      {name === "" && <>Run your application against a dataset with the SDK, <code className="font-mono text-xs">dataset.run_experiment(…)</code>, and every run is listed here with its scores.</>}
    </EmptyState>
  );
}
