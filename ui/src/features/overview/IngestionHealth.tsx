import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { formatCount, formatDuration } from "@/shared/lib/format";
import { Panel } from "@/shared/ui/Panel";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { healthOf } from "./health";

/** Whether what clients send arrives and becomes readable. */
export function IngestionHealth({ now }: { now: number }) {
  const project = useProject();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["ingest-requests", project.id, now],
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/ingest-requests", { signal })).data!,
  });
  const health = data && healthOf(data);
  const Icon = health?.well ? CircleCheck : TriangleAlert;
  return (
    <Panel
      title="Ingestion" error={error} onRetry={() => void refetch()} pending={isPending}
      aside={<Link to="/project/$projectId/settings/{-$page}" params={{ projectId: project.id, page: "ingestion" }} className="inline-flex min-h-6 items-center text-accent hover:underline">All requests</Link>}
    >
      {health !== undefined && (
        <div className="flex flex-col gap-3 px-4 pt-1 pb-4">
          <p className="flex items-start gap-2 text-sm"><Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${health.well ? "text-ok" : "text-warn"}`} />{health.verdict}</p>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs [&>dd]:text-right [&>dt]:text-text-2">
            <dt>Newest request</dt><dd>{health.newest === null ? "none remembered" : <RelativeTime value={health.newest} />}</dd>
            <dt>Requests remembered</dt><dd>{formatCount(health.requests)}</dd>
            <dt>Of these refused, wholly or in part</dt><dd>{formatCount(health.refused)}</dd>
            <dt>Rows accepted</dt><dd>{formatCount(health.accepted)}</dd>
            <dt>Rows rejected</dt><dd>{formatCount(health.rejected)}</dd>
            <dt>Waiting to be stored</dt><dd>{health.waiting === null ? "unknown" : formatCount(health.waiting)}</dd>
            <dt>Behind by</dt><dd>{health.lagMs === null ? "unknown" : formatDuration(health.lagMs)}</dd>
          </dl>
        </div>
      )}
    </Panel>
  );
}
