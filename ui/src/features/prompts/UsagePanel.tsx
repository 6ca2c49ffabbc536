import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { formatCount, formatDuration } from "@/shared/lib/format";
import { printRange, type Range } from "@/shared/lib/range";
import { useRange } from "@/shared/lib/useRange";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Money, Tokens } from "@/shared/ui/Figures";
import { RangePicker } from "@/shared/ui/RangePicker";
import { ScoreChip } from "@/shared/ui/ScoreChip";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type VersionUsage, versionUsageQuery } from "./api";

const columnsOf = (projectId: string, name: string, range: Range): ShortColumn<VersionUsage>[] => [
  { header: "Version", cell: ({ version }) => <UsageLink projectId={projectId} name={name} version={version} range={range} /> },
  { header: "Observations", cell: ({ observations }) => formatCount(observations) },
  { header: "Cost", cell: ({ cost }) => <Money amount={cost} /> },
  { header: "Tokens", cell: ({ tokens }) => <Tokens count={tokens} /> },
  { header: "Latency p50", cell: ({ p50 }) => formatDuration(p50) },
  { header: "Latency p95", cell: ({ p95 }) => formatDuration(p95) },
  { header: "Scores, mean", cell: ({ scores }) => <span className="flex flex-wrap gap-1">{scores.map(({ name: score, mean }) => <ScoreChip key={score} score={{ name: score, dataType: "NUMERIC", value: mean }} />)}{scores.length === 0 && <span className="text-text-3">–</span>}</span> },
];

/** What each version did in a time: how often, at which cost, how fast, and how it was scored. */
export function UsagePanel({ name }: { name: string }) {
  const project = useProject();
  const { range, now, from, to, setRange } = useRange("30d");
  const { data, error, refetch } = useQuery(versionUsageQuery(project, name, { from, to }));
  return (
    <div className="flex flex-col gap-3">
      <div className="flex justify-end"><RangePicker value={range} now={now} onChange={setRange} /></div>
      {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact />}
      {error === null && data === undefined && <SkeletonRows rows={3} label="Loading what the versions did" />}
      {data?.length === 0 && <EmptyState title="Not used in this time">Observations count when they name the prompt: the SDKs do so for a generation that is given the prompt they fetched. Choose a longer time, or see under “Use” how it is fetched.</EmptyState>}
      {data !== undefined && data.length > 0 && <ShortTable label="Usage by version" columns={columnsOf(project.id, name, range)} rows={data} keyOf={({ version }) => String(version)} />}
    </div>
  );
}

function UsageLink({ projectId, name, version, range }: { projectId: string; name: string; version: number; range: Range }) {
  const q = `promptName:=${JSON.stringify(name)} promptVersion:${version}`;
  const text = printRange(range);
  return <Link to="/project/$projectId/observations" params={{ projectId }} search={{ q, range: text } as never} className="inline-flex min-h-6 items-center text-accent hover:underline">Version {version}</Link>;
}
