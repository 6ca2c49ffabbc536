import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { useProject } from "@/shared/api/project";
import { PartPanel } from "@/shared/trace/details/PartPanel";
import { traceQuery } from "@/shared/trace/loadTrace";
import { ofProject } from "@/shared/trace/source";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Select } from "@/shared/ui/Select";
import { SkeletonRows } from "@/shared/ui/Skeleton";

/** Rows of a trace that can be looked at here; the trace's own page has all. */
const mostRows = 200;

/** What a trace is about, and what any observation in it was given and answered. */
export function TraceContent({ traceId }: { traceId: string }) {
  const project = useProject();
  const source = ofProject(project.id, traceId);
  const { data, error, refetch } = useQuery(traceQuery(source));
  const [row, setRow] = useState("0");
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows rows={8} label="Loading the trace" />;
  const { rows, length } = data;
  if (length === 0) return <NotThere kind="trace" />;
  const first = rows.head.syntheticRoot === null ? 0 : 1;
  const options = Array.from({ length: Math.min(length, mostRows) - first }, (_, index) => ({ value: String(index), label: `${rows.typeOf(index + first)} · ${rows.nameOf(index + first)}` }));
  const observationId = rows.ids.at(Number(row) + first);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Select label="Look at" className="min-w-48 flex-1" value={row} onChange={setRow} options={options} hint={length - first > mostRows ? `The first ${mostRows} of ${length - first} observations.` : undefined} />
        <TraceLink traceId={traceId}>Open the whole trace</TraceLink>
      </div>
      <Parts traceId={traceId} observationId={observationId} />
    </div>
  );
}

export function ObservationContent({ traceId, observationId }: { traceId: string | null; observationId: string }) {
  if (traceId === null) return <NotThere kind="observation" />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex justify-end"><TraceLink traceId={traceId} observationId={observationId}>Open it in its trace</TraceLink></div>
      <Parts traceId={traceId} observationId={observationId} />
    </div>
  );
}

function TraceLink({ traceId, observationId, children }: { traceId: string; observationId?: string; children: string }) {
  const { id: projectId } = useProject();
  return (
    <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId }} search={(observationId === undefined ? {} : { observation: observationId }) as never} target="_blank" className="flex min-h-6 items-center gap-1 text-xs text-accent hover:underline">
      {children}<ExternalLink size={12} aria-hidden /><span className="sr-only">(in a new tab)</span>
    </Link>
  );
}

function Parts({ traceId, observationId }: { traceId: string; observationId: string }) {
  const { id } = useProject();
  const [format, setFormat] = useState<string>();
  const part = { source: ofProject(id, traceId), observationId, format, onFormat: setFormat };
  return <><PartPanel key={`${observationId} input`} {...part} part="input" /><PartPanel key={`${observationId} output`} {...part} part="output" /></>;
}

/** The turns of a session, the oldest first. */
export function SessionContent({ sessionId }: { sessionId: string }) {
  const project = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: ["annotated-session", project.id, sessionId],
    queryFn: async ({ signal }) => {
      const filter = JSON.stringify([{ type: "string", column: "sessionId", operator: "=", value: sessionId }, { type: "boolean", column: "isRootObservation", operator: "=", value: true }]);
      return (await project.api.GET("/api/public/v2/observations", { params: { query: { fields: "core,basic", filter, limit: mostTurns } }, signal })).data!.data.toReversed();
    },
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows rows={8} label="Loading the session" />;
  if (data.length === 0) return <NotThere kind="session" />;
  return (
    <ol aria-label="Turns" className="flex min-w-0 flex-col gap-4">
      {data.map(({ id, traceId, name }, index) => traceId !== null && (
        <li key={id} className="flex min-w-0 flex-col gap-2">
          <div className="flex items-center justify-between gap-2"><h3 className="truncate text-sm font-medium">Turn {index + 1}: {name ?? "trace"}</h3><TraceLink traceId={traceId}>Open the trace</TraceLink></div>
          <Parts traceId={traceId} observationId={id} />
        </li>
      ))}
      {data.length === mostTurns && <li className="text-xs text-text-2">The newest {mostTurns} turns.</li>}
    </ol>
  );
}

const mostTurns = 20;

function NotThere({ kind }: { kind: string }) {
  return <EmptyState title={`The ${kind} is not there`}>It may still be on its way, or was deleted, or its time is over. Skip the item, or look again later.</EmptyState>;
}
