import { Link, useSearch } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { ObservationLinks } from "@/shared/activity/ObservationLinks";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { fixedRange } from "@/shared/lib/range";
import { one, type Search } from "@/shared/lib/search";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useRange } from "@/shared/lib/useRange";
import { useUrlState } from "@/shared/lib/useUrlState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RangePicker } from "@/shared/ui/RangePicker";
import { SweepBar } from "@/shared/ui/SweepBar";
import { Charts } from "./Charts";
import { EnvironmentSelect } from "./EnvironmentSelect";
import { IngestionHealth } from "./IngestionHealth";
import { NoTraces } from "./NoTraces";
import { Tiles } from "./Tiles";
import { useOverview } from "./useOverview";

/** How a project does: figures, courses, what went wrong last, and whether data arrives. */
export function OverviewPage() {
  const project = useProject();
  const { range, now, from, to, refresh, setRange } = useRange();
  const [env, setEnv] = useUrlState("env", "", { push: true });
  const rangeText = useSearch({ strict: false, select: (search) => one(search as Search, "range") });
  const data = useOverview({ from, to, env });
  useShortcuts("Overview", [{ keys: "r", label: "Refresh", run: refresh }]);
  const busy = Object.values(data).some(({ isFetching }) => isFetching);
  const totals = data.now.data;
  const empty = totals !== undefined && !data.now.isPlaceholderData && totals.observations === 0;
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader
        title="Overview" documentTitle={`Overview · ${project.name}`}
        actions={
          <>
            <RangePicker value={range} onChange={setRange} now={now} />
            <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(busy && "animate-spin")} onClick={refresh} />
          </>
        }
      >
        <EnvironmentSelect value={env} onChange={setEnv} from={from} to={to} />
      </PageHeader>
      <SweepBar busy={busy && totals !== undefined} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <section tabIndex={0} aria-label="Overview" className="min-h-0 flex-1 overflow-auto">
        <div className="mx-auto flex max-w-screen-2xl flex-col gap-3 p-4 max-sm:p-3">
          {data.now.error !== null && totals === undefined ? <ErrorState error={data.now.error} onRetry={() => void data.now.refetch()} /> : <Tiles now={totals} before={data.before.data} />}
          {empty && <NoTraces range={range} now={now} env={env} onRange={setRange} onAllEnvironments={() => setEnv("")} />}
          {!empty && <Charts data={data} open={"last" in range} rangeText={rangeText} env={env} onRange={(start, end) => setRange(fixedRange(start, end))} />}
          <div className="grid gap-3 xl:grid-cols-[2fr_1fr]">
            {!empty && (
              <Panel
                title="Latest errors" error={data.errors.error} onRetry={() => void data.errors.refetch()} pending={data.errors.isPending}
                aside={<Link to="/project/$projectId/observations" params={{ projectId: project.id }} search={{ q: "level:ERROR", range: rangeText } as never} className="inline-flex min-h-6 items-center text-accent hover:underline">All errors</Link>}
              >
                {data.errors.data?.length === 0 ? <p className="px-4 py-6 text-center text-xs text-text-3">No errors in this time.</p> : <ObservationLinks label="Latest errors" rows={data.errors.data ?? []} />}
              </Panel>
            )}
            <IngestionHealth now={now} />
          </div>
        </div>
      </section>
    </div>
  );
}
