import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ListChecks } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { formatDuration, none } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type Decision, type DecisionFilter, decisionsQuery, type Evaluator } from "./api";
import { linkClass } from "./RuleLinks";
import { meaningOf, tones } from "./words";

interface DecisionsProps {
  ruleId: string;
  filter: DecisionFilter;
  evaluators: readonly Evaluator[];
}

/** Each decision, those about the latest observations first. */
export function Decisions({ ruleId, filter, evaluators }: DecisionsProps) {
  const project = useProject();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(decisionsQuery(project, ruleId, filter));
  if (data === undefined) return error === null ? <SkeletonRows rows={8} label="Loading the decisions" /> : <ErrorState error={error} onRetry={() => void refetch()} compact />;
  const rows = data.pages.flatMap((page) => page.data);
  if (rows.length === 0 && filter.outcome !== "") return <EmptyState icon={ListChecks} title="No such decisions">Choose another kind above.</EmptyState>;
  if (rows.length === 0) return <EmptyState icon={ListChecks} title="No decisions yet">Observations are decided some seconds after they came, while the rule is enabled. Those of the past are evaluated by a backfill.</EmptyState>;
  return (
    <>
      <ShortTable label="Decisions" rows={rows} keyOf={(row) => `${row.traceId} ${row.observationId} ${row.evaluatorId} ${row.ruleVersion}`} columns={columnsOf(project.id, evaluators)} />
      {hasNextPage && <Button className="self-start" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>Show more</Button>}
    </>
  );
}

const columnsOf = (projectId: string, evaluators: readonly Evaluator[]): ShortColumn<Decision>[] => {
  const nameOf = (id: string) => evaluators.find((evaluator) => evaluator.id === id)?.name ?? id;
  return [
    { header: "Observation", cell: ({ traceId, observationId }) => <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId }} search={{ observation: observationId } as never} className={`${linkClass} font-mono`}>{observationId}</Link> },
    { header: "Started", cell: ({ startTime }) => <AbsoluteTime value={startTime} className="whitespace-nowrap" /> },
    { header: "Outcome", cell: ({ outcome }) => <Badge tone={tones[outcome]}>{outcome}</Badge> },
    { header: "Why, or the scores", cell: (row) => <Outcome row={row} projectId={projectId} /> },
    { header: "Evaluator", cell: ({ evaluatorId, evaluatorVersion }) => (evaluatorId === null ? none : <span className="break-words">{nameOf(evaluatorId)}{evaluatorVersion !== null && <span className="text-text-3"> v{evaluatorVersion}</span>}</span>) },
    { header: "Took", cell: ({ outcome, durationMs, cost }) => (outcome === "skipped" ? none : <span className="whitespace-nowrap">{formatDuration(durationMs)}{cost !== null && cost !== "0" && `, ${formatMoney(cost)}`}</span>) },
    { header: "By", cell: ({ jobId }) => (jobId === null ? "live" : "backfill") },
  ];
};

function Outcome({ row: { traceId, observationId, outcome, reason, message, scoreIds, evaluatorId }, projectId }: { row: Decision; projectId: string }) {
  if (outcome === "evaluated") {
    if (scoreIds.length === 0) return <span className="text-text-2">no score was given</span>;
    return <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId }} search={{ observation: observationId, tab: "scores" } as never} className={linkClass}>{scoreIds.length === 1 ? "See the score" : `See ${scoreIds.length} scores`}</Link>;
  }
  return (
    <span className="min-w-0 break-words">
      {meaningOf(reason ?? "")}
      {message !== null && <span className="text-text-3">: {message}</span>}
      {outcome === "failed" && evaluatorId !== null && <> <Link to="/project/$projectId/evaluators/$evaluatorId" params={{ projectId, evaluatorId }} search={{ row: `${traceId}:${observationId}` } as never} className={linkClass}>Try it there</Link></>}
    </span>
  );
}
