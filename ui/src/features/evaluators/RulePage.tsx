import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ListChecks } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { formatCount, formatDuration, none } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Badge, type BadgeTone } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Select } from "@/shared/ui/Select";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { StatTile } from "@/shared/ui/StatTile";
import { countsQuery, type Decision, decisionsQuery, evaluatorsQuery, rulesQuery } from "./api";
import { BackfillDialog } from "./BackfillDialog";
import { RuleDialog } from "./RuleDialog";
import { meaningOf, sumOf, totalsOf } from "./words";

const tones: Record<Decision["outcome"], BadgeTone> = { evaluated: "ok", skipped: "neutral", failed: "danger" };

/** What a rule did with each observation, and why. */
export function RulePage() {
  const project = useProject();
  const { ruleId } = useParams({ strict: false }) as { ruleId: string };
  const rules = useQuery(rulesQuery(project));
  const evaluators = useQuery(evaluatorsQuery(project));
  const counts = useQuery(countsQuery(project, ruleId));
  const [kind, setKind] = useUrlState("decision");
  const [open, setOpen] = useState<"change" | "backfill" | null>(null);
  const totals = totalsOf(counts.data ?? []);
  const rule = rules.data?.find(({ id }) => id === ruleId);
  const mayChange = allows(project.role, "MEMBER") && rule !== undefined;
  const tile = (label: string, value: number) => <StatTile label={label} value={formatCount(value)} loading={counts.data === undefined && counts.error === null} />;
  const options = [{ value: "", label: "All decisions" }, ...totals.map(({ outcome, reason, count }) => ({ value: `${outcome} ${reason}`.trim(), label: `${outcome}${reason && `: ${meaningOf(reason)}`} (${formatCount(count)})` }))];
  const actions = mayChange && <><Button onClick={() => setOpen("backfill")} disabled={!allows(project.role, "ADMIN")}>Backfill…</Button><Button onClick={() => setOpen("change")}>Change…</Button></>;
  return (
    <>
      <PageHeader title={rule?.name ?? "Rule"} actions={actions}>
        <Link to="/project/$projectId/evaluators" params={{ projectId: project.id }} className="text-xs text-accent">Evaluators</Link>
      </PageHeader>
      <div className="flex flex-col gap-4 p-4">
        {counts.error !== null && counts.data === undefined ? <ErrorState error={counts.error} onRetry={() => void counts.refetch()} compact /> : (
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">{tile("Decided", sumOf(totals))}{tile("Evaluated", sumOf(totals, "evaluated"))}{tile("Skipped", sumOf(totals, "skipped"))}{tile("Failed", sumOf(totals, "failed"))}</div>
        )}
        <Select label="Show" value={options.some(({ value }) => value === kind) ? kind : ""} onChange={setKind} options={options} className="max-w-96" />
        <Decisions ruleId={ruleId} kind={kind} />
      </div>
      {open === "change" && rule !== undefined && <RuleDialog rule={rule} evaluators={evaluators.data ?? []} onClose={() => setOpen(null)} />}
      {open === "backfill" && <BackfillDialog ruleId={ruleId} onClose={() => setOpen(null)} />}
    </>
  );
}

const decisionColumns = (projectId: string): ShortColumn<Decision>[] => [
  { header: "Observation", cell: ({ traceId, observationId }) => <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId }} search={{ observation: observationId }} className="font-mono text-accent">{observationId}</Link> },
  { header: "Started", cell: ({ startTime }) => <time dateTime={startTime}>{startTime.slice(0, 19).replace("T", " ")}</time> },
  { header: "Outcome", cell: (row) => <Badge tone={tones[row.outcome]}>{row.outcome}</Badge> },
  { header: "Why", cell: ({ reason: why, message }) => (why === null ? none : <span className="break-words">{meaningOf(why)}{message !== null && <span className="text-text-3">: {message}</span>}</span>) },
  { header: "Took", cell: ({ outcome: what, durationMs }) => (what === "skipped" ? none : formatDuration(durationMs)) },
];

function Decisions({ ruleId, kind }: { ruleId: string; kind: string }) {
  const project = useProject();
  const [outcome = "", reason = ""] = kind.split(" ");
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(decisionsQuery(project, ruleId, outcome, reason));
  if (data === undefined) return error === null ? <SkeletonRows rows={8} label="Loading the decisions" /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  const rows = data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return <EmptyState icon={ListChecks} title="No decisions">Observations are decided some seconds after they came. For those of the past there is the backfill.</EmptyState>;
  return (
    <>
      <ShortTable label="Decisions" rows={rows} keyOf={(row) => `${row.traceId} ${row.observationId} ${row.evaluatorId} ${row.ruleVersion}`} columns={decisionColumns(project.id)} />
      {hasNextPage && <Button className="self-start" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>Show more</Button>}
    </>
  );
}
