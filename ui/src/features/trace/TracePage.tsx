import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useMemo } from "react";
import { ApiError } from "@/shared/api/errors";
import { type Project, useProject } from "@/shared/api/project";
import { useTitle } from "@/shared/lib/useTitle";
import { traceQuery } from "@/shared/trace/loadTrace";
import { ofProject } from "@/shared/trace/source";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { TraceScreen } from "./TraceScreen";

export function TracePage() {
  const { traceId } = useParams({ from: "/project/$projectId/traces/$traceId" });
  const project = useProject();
  const source = useMemo(() => ofProject(project.id, traceId), [project.id, traceId]);
  const { data, error, refetch } = useQuery(traceQuery(source));
  useTitle(data?.rows.head.name || "Trace");
  const retry = () => void refetch();
  if (data !== undefined) return <TraceScreen key={traceId} source={source} loaded={data} error={error} onRetry={retry} />;
  return (
    <>
      <h1 className="sr-only">Trace</h1>
      <Without error={error} onRetry={retry} project={project} traceId={traceId} />
    </>
  );
}

/** What stands in the place of a trace that has not come, or will not. */
function Without({ error, onRetry, project, traceId }: { error: Error | null; onRetry: () => void; project: Project; traceId: string }) {
  if (error === null) return <SkeletonRows rows={20} label="Loading the trace" />;
  if (error instanceof ApiError && error.status === 404) return <NoTrace project={project} traceId={traceId} />;
  return <ErrorState error={error} onRetry={onRetry} />;
}

function NoTrace({ project, traceId }: { project: Project; traceId: string }) {
  return (
    <EmptyState icon={SearchX} title="This trace is not here" actions={<Link to="/trace/$traceId" params={{ traceId }} className={buttonClass("primary")}>Look in all your projects</Link>}>
      <p>The project {project.name} has no trace <code className="font-mono text-xs break-all">{traceId}</code>. It may have been deleted, by somebody or because the project keeps traces for a limited time only; it may belong to another project; or it was sent moments ago and is not readable yet.</p>
    </EmptyState>
  );
}
