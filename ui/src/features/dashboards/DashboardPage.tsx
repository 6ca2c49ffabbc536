import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { LayoutDashboard, Pencil, RefreshCw } from "lucide-react";
import { useMemo, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { parse } from "@/shared/filter/parse";
import { fixedRange } from "@/shared/lib/range";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useRange } from "@/shared/lib/useRange";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Banner } from "@/shared/ui/Banner";
import { Button, buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { QueryBar } from "@/shared/ui/QueryBar";
import { RangePicker } from "@/shared/ui/RangePicker";
import { Skeleton } from "@/shared/ui/Skeleton";
import { dashboardQuery } from "./api";
import { Editor } from "./Editor";
import { Grid } from "./Grid";
import { LinkMenu } from "./LinkMenu";
import type { Dashboard, Scope } from "./model";

/** A dashboard: tiles for a time, under one query. */
export function DashboardPage() {
  const project = useProject();
  const { dashboardId = "" } = useParams({ strict: false });
  const { range, now, from, to, refresh, setRange } = useRange();
  const [q, setQuery] = useUrlState("q", "", { push: true });
  const [editing, setEditing] = useUrlState("edit", "", { push: true });
  const [saved, setSaved] = useState<Dashboard | null>(null);
  const { data, error, refetch } = useQuery(dashboardQuery(project, dashboardId));
  useShortcuts("Dashboard", [{ keys: "r", label: "Refresh", run: refresh }]);
  const query = useMemo(() => parse(q), [q]);
  const scope: Scope = useMemo(() => ({ from, to, conditions: query.conditions }), [from, to, query]);
  const dashboard = saved?.id === dashboardId && (data === undefined || saved.revision > data.revision) ? saved : data;
  const onRange = (start: number, end: number) => setRange(fixedRange(start, end));
  const grid = { scope, open: "last" in range, dashboardId, onRange };
  const mayEdit = allows(project.role, "MEMBER");
  if (error !== null && dashboard === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader
        title={dashboard?.name ?? "Dashboard"} documentTitle={`${dashboard?.name ?? "Dashboard"} · ${project.name}`}
        actions={
          <>
            <RangePicker value={range} onChange={setRange} now={now} />
            <LinkMenu from={from} to={to} />
            <IconButton icon={RefreshCw} label="Refresh" keys="r" onClick={refresh} />
            {mayEdit && editing === "" && <Button icon={Pencil} onClick={() => setEditing("1")}>Edit</Button>}
          </>
        }
      >
        <Link to="/project/$projectId/dashboards" params={{ projectId: project.id }} className="inline-flex min-h-6 items-center gap-1 text-xs text-accent hover:underline"><LayoutDashboard size={14} aria-hidden />All dashboards</Link>
      </PageHeader>
      <div className="border-b border-line px-4 py-2"><QueryBar label="Filter of all tiles" value={q} onCommit={setQuery} placeholder="Filter all tiles, such as env:production or model:gpt-4o" /></div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <section tabIndex={0} aria-label={dashboard?.name ?? "Dashboard"} className="min-h-0 flex-1 overflow-auto">
        <div className="mx-auto flex max-w-screen-2xl flex-col gap-3 p-4 max-sm:p-3">
          {query.search !== "" && <Banner tone="warn">Words without a column are looked for in lists only: “{query.search}” does not change these charts. Write input:"…" or name:*…* instead.</Banner>}
          {dashboard?.description !== undefined && dashboard.description !== "" && editing === "" && <p className="text-sm text-text-2">{dashboard.description}</p>}
          {dashboard === undefined && <div role="status" aria-label="Loading" className="grid gap-3 md:grid-cols-2"><Skeleton className="h-48" /><Skeleton className="h-48" /></div>}
          {dashboard !== undefined && editing !== "" && mayEdit && <Editor key={dashboard.id} dashboard={dashboard} grid={grid} onDone={(next) => { if (next !== null) setSaved(next); setEditing(""); }} />}
          {dashboard !== undefined && (editing === "" || !mayEdit) && (dashboard.tiles.length > 0 ? <Grid tiles={dashboard.tiles} {...grid} /> : (
            <EmptyState icon={LayoutDashboard} title="This dashboard has no tiles yet" actions={mayEdit ? <button type="button" className={buttonClass("primary")} onClick={() => setEditing("1")}>Add tiles</button> : undefined}>Each tile is a chart of what you choose to measure.</EmptyState>
          ))}
        </div>
      </section>
    </div>
  );
}
