import { useParams } from "@tanstack/react-router";
import { Redirect } from "@/shared/ui/Redirect";

/** The address that older SDKs print for a run of a dataset leads to its results. */
export function RunRedirect() {
  const { projectId, runId } = useParams({ strict: false }) as { projectId: string; runId: string };
  return <Redirect href={`/project/${encodeURIComponent(projectId)}/experiments/results?baseline=${encodeURIComponent(runId)}`} />;
}
