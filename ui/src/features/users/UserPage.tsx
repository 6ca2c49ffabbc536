import { Link, useParams } from "@tanstack/react-router";
import { RefreshCw, UserX } from "lucide-react";
import { ObservationLinks } from "@/shared/activity/ObservationLinks";
import { useProject } from "@/shared/api/project";
import { printCondition } from "@/shared/filter/print";
import { cx } from "@/shared/lib/classes";
import { formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { describeRange, fixedRange, printRange, widerRange } from "@/shared/lib/range";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useRange } from "@/shared/lib/useRange";
import { Button, buttonClass } from "@/shared/ui/Button";
import { Chart } from "@/shared/ui/Chart";
import { CopyButton } from "@/shared/ui/CopyButton";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RangePicker } from "@/shared/ui/RangePicker";
import { SweepBar } from "@/shared/ui/SweepBar";
import { SessionLinks } from "./SessionLinks";
import { UserFigures } from "./UserFigures";
import { useUser } from "./useUser";

/** One person that an application served: what they did, what it cost, and the ways to all of it. */
export function UserPage() {
  const { userId } = useParams({ from: "/project/$projectId/users/$userId" });
  const { id: projectId } = useProject();
  const { range, now, from, to, refresh, setRange } = useRange("30d");
  const { figures, course, traces, sessions } = useUser(userId, from, to);
  useShortcuts("User", [{ keys: "r", label: "Refresh", run: refresh }]);
  const busy = [figures, course, traces, sessions].some(({ isFetching }) => isFetching);
  const search = { q: printCondition({ type: "string", column: "userId", operator: "=", value: userId }), range: printRange(range) } as never;
  const nobody = figures.data === null && !figures.isPlaceholderData;
  const charts = { partialLast: "last" in range, kind: "bars" as const, onSelectRange: (start: number, end: number) => setRange(fixedRange(start * 1000, end * 1000)) };
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader
        title={userId} documentTitle={`${userId} · Users`}
        actions={
          <>
            <RangePicker value={range} onChange={setRange} now={now} />
            <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(busy && "animate-spin")} onClick={refresh} />
          </>
        }
      >
        <CopyButton text={userId} label="Copy user id" />
        <nav aria-label="Lists of this user" className="flex flex-wrap gap-1">
          <Link to="/project/$projectId/traces" params={{ projectId }} search={search} className={buttonClass("ghost")}>Traces</Link>
          <Link to="/project/$projectId/observations" params={{ projectId }} search={search} className={buttonClass("ghost")}>Observations</Link>
          <Link to="/project/$projectId/sessions" params={{ projectId }} search={search} className={buttonClass("ghost")}>Sessions</Link>
        </nav>
      </PageHeader>
      <SweepBar busy={busy && figures.data !== undefined} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <section tabIndex={0} aria-label={`User ${userId}`} className="min-h-0 flex-1 overflow-auto">
        {figures.error !== null && figures.data === undefined && <ErrorState error={figures.error} onRetry={() => void figures.refetch()} />}
        {nobody && (
          <EmptyState icon={UserX} title="Nothing of this user in this time" actions={<Button onClick={() => setRange(widerRange(range))}>{describeRange(widerRange(range))}</Button>}>
            User ids are compared letter by letter; what is older than the project keeps data is gone.
          </EmptyState>
        )}
        {!nobody && (figures.error === null || figures.data !== undefined) && (
          <div className="mx-auto flex max-w-screen-2xl flex-col gap-3 p-4 max-sm:p-3">
            <UserFigures figures={figures.data ?? undefined} />
            <div className="grid gap-3 lg:grid-cols-2">
              <Panel error={course.data === undefined ? course.error : null} onRetry={() => void course.refetch()} pending={course.isPending} className="min-h-56">
                {course.data && <div className="px-4 py-2"><Chart title="Cost" times={course.data.times} series={[{ label: "Cost", values: course.data.cost }]} format={formatMoney} {...charts} /></div>}
              </Panel>
              <Panel error={course.data === undefined ? course.error : null} onRetry={() => void course.refetch()} pending={course.isPending} className="min-h-56">
                {course.data && <div className="px-4 py-2"><Chart title="Tokens" times={course.data.times} series={[{ label: "Tokens", values: course.data.tokens, color: "tool" }]} format={formatTokens} {...charts} /></div>}
              </Panel>
              <Panel title="Latest traces" error={traces.error} onRetry={() => void traces.refetch()} pending={traces.isPending}>
                {traces.data?.length === 0 ? <p className="px-4 py-6 text-center text-xs text-text-3">No trace has a root in this time.</p> : <ObservationLinks label="Latest traces" rows={traces.data ?? []} />}
              </Panel>
              <Panel title="Latest sessions" error={sessions.error} onRetry={() => void sessions.refetch()} pending={sessions.isPending}>
                {sessions.data?.list.length === 0 ? <p className="px-4 py-6 text-center text-xs text-text-3">No trace of this time belongs to a session.</p> : <SessionLinks rows={sessions.data?.list ?? []} />}
              </Panel>
            </div>
          </div>
        )}
      </section>
    </div>
  );
}
