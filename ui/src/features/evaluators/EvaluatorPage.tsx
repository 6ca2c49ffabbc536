import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Gavel } from "lucide-react";
import { ApiError } from "@/shared/api/errors";
import { useProject } from "@/shared/api/project";
import { useUrlState } from "@/shared/lib/useUrlState";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { evaluatorQuery, versionsQuery } from "./api";
import { EvaluatorBench } from "./EvaluatorBench";
import { NewEvaluatorPage } from "./NewEvaluatorPage";

/** An evaluator by its id in the address. No id is "new": that is where one is made. */
export function EvaluatorPage() {
  const { evaluatorId = "" } = useParams({ strict: false });
  return evaluatorId === "new" ? <NewEvaluatorPage /> : <OneEvaluator key={evaluatorId} id={evaluatorId} />;
}

function OneEvaluator({ id }: { id: string }) {
  const project = useProject();
  const [number] = useUrlState("version");
  const evaluator = useQuery(evaluatorQuery(project, id));
  const versions = useQuery(versionsQuery(project, id));
  const wanted = number === "" ? evaluator.data?.version : Number(number);
  const version = versions.data?.find((one) => one.version === wanted);
  if (evaluator.data !== undefined && versions.data !== undefined && version !== undefined) {
    return <EvaluatorBench key={version.id} evaluator={evaluator.data} version={version} versions={versions.data} />;
  }
  const failed = evaluator.error ?? versions.error;
  const noVersion = versions.data !== undefined && evaluator.data !== undefined;
  const missing = noVersion || (failed instanceof ApiError && failed.status === 404);
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title={evaluator.data?.name ?? "Evaluator"} documentTitle={`Evaluator · ${project.name}`} />
      {missing && (
        <EmptyState icon={Gavel} title={noVersion ? `No version ${number}` : "No such evaluator"} actions={<Link to="/project/$projectId/evaluators" params={{ projectId: project.id }} className={buttonClass("primary")}>All evaluators</Link>}>
          {noVersion ? "This version was never made, or is not among the newest hundred." : "It may have been deleted, or belong to another project."}
        </EmptyState>
      )}
      {failed !== null && !missing && <ErrorState error={failed} onRetry={() => void Promise.all([evaluator.refetch(), versions.refetch()])} />}
      {failed === null && !missing && <div className="p-4"><SkeletonRows rows={10} label="Loading the evaluator" /></div>}
    </div>
  );
}
