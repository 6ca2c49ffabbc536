import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeftRight, List, RefreshCw } from "lucide-react";
import { useMemo } from "react";
import { usePeople } from "@/shared/api/people";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { describeRange, widerRange } from "@/shared/lib/range";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useRange } from "@/shared/lib/useRange";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Button, buttonClass } from "@/shared/ui/Button";
import { Combobox } from "@/shared/ui/Combobox";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { RangePicker } from "@/shared/ui/RangePicker";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { SweepBar } from "@/shared/ui/SweepBar";
import { Agreement } from "./analytics/Agreement";
import { optionsOf } from "./analytics/choices";
import { Distribution } from "./analytics/Distribution";
import { Trend } from "./analytics/Trend";
import { type Analytics, type AnalyticsQuery, analyticsQuery, kindsQuery } from "./api";
import { readQuery } from "./useScoreList";

/** One or two scores: how they are distributed, how they change, and how far they agree. The address says which. */
export function AnalyticsPage() {
  const project = useProject();
  const range = useRange("30d");
  const [a, setA] = useUrlState("a", "", { push: true });
  const [b, setB] = useUrlState("b", "", { push: true });
  const nameOf = usePeople();
  const kinds = useQuery(kindsQuery(project, range.from, range.to));
  const options = useMemo(() => optionsOf(kinds.data ?? [], nameOf), [kinds.data, nameOf]);
  const chosen = a === "" ? (options[0]?.value ?? "") : a;
  const asked = useMemo((): AnalyticsQuery | null => {
    const [first, second] = [readQuery(chosen), readQuery(b)];
    if (chosen === "" || first.problems.length + second.problems.length > 0) return null;
    return { from: range.from, to: range.to, a: first.conditions, b: b === "" ? null : second.conditions };
  }, [chosen, b, range.from, range.to]);
  const answer = useQuery({ ...analyticsQuery(project, asked!), enabled: asked !== null, placeholderData: keepPreviousData });
  const titleOf = (query: string) => options.find(({ value }) => value === query)?.label ?? query;
  const swap = () => (setA(b), setB(chosen));
  useShortcuts("Scores", [{ keys: "r", label: "Refresh", run: range.refresh }]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title="Score analytics"
        actions={
          <>
            <Link to="/project/$projectId/scores" params={{ projectId: project.id }} search={(chosen === "" ? {} : { q: chosen }) as never} className={buttonClass("secondary")}><List size={14} aria-hidden />All scores</Link>
            <RangePicker value={range.range} onChange={range.setRange} now={range.now} />
            <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(answer.isFetching && "animate-spin")} onClick={range.refresh} />
          </>
        }
      />
      <div className="flex flex-wrap items-end gap-2 px-4 py-3">
        <Combobox label="Score" className="min-w-56 flex-1 sm:max-w-80" value={chosen || undefined} onChange={setA} options={options} />
        <IconButton icon={ArrowLeftRight} label="Swap the two scores" disabled={b === ""} onClick={swap} />
        <Combobox label="Compare with" className="min-w-56 flex-1 sm:max-w-80" value={b || undefined} onChange={setB} options={options} placeholder="Another score (not needed)" />
        {b !== "" && <Button variant="ghost" onClick={() => setB("")}>Look at one only</Button>}
      </div>
      <SweepBar busy={answer.isFetching && !answer.isPending} />
      <div className="min-h-0 flex-1 overflow-auto px-4 pb-6">
        {kinds.error !== null ? <ErrorState error={kinds.error} onRetry={() => void kinds.refetch()} /> : answer.error !== null ? <ErrorState error={answer.error} onRetry={() => void answer.refetch()} /> : null}
        {kinds.data !== undefined && chosen === "" && <NoScores wider={describeRange(widerRange(range.range))} onWider={() => range.setRange(widerRange(range.range))} />}
        {kinds.error === null && answer.error === null && (kinds.isPending || (asked !== null && answer.isPending)) && <SkeletonRows rows={8} label="Loading figures" />}
        {answer.data !== undefined && asked !== null && answer.error === null && <Figures data={answer.data} a={titleOf(chosen)} b={titleOf(b)} open={"last" in range.range} />}
      </div>
    </div>
  );
}

function NoScores({ wider, onWider }: { wider: string; onWider: () => void }) {
  return (
    <EmptyState title="No scores in this time" actions={<Button onClick={onWider}>{wider}</Button>}>
      Send scores from your code, let evaluators give them, or review traces in an annotation queue. Numbers, yes or no and categories are shown here.
    </EmptyState>
  );
}

function Figures({ data, a, b, open }: { data: Analytics; a: string; b: string; open: boolean }) {
  const second = data.b === null ? [] : [{ title: b === a ? `${b} (second)` : b, side: data.b }];
  const sides = [{ title: a, side: data.a }, ...second];
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      {data.agreement !== null && <div className="xl:col-span-2"><Agreement agreement={data.agreement} a={a} b={b} /></div>}
      {sides.map(({ title, side }) => (side.count === 0 ? <EmptyState key={title} title={`No scores of ${title} in this time`} className="rounded-lg border border-line">Choose a longer time, or another score.</EmptyState> : <Distribution key={title} title={title} side={side} />))}
      <Trend sides={sides} partialLast={open} />
    </div>
  );
}
