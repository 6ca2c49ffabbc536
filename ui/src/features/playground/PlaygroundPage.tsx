import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { allows, useProject } from "@/shared/api/project";
import { useUrlState } from "@/shared/lib/useUrlState";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { offeredQuery, originQuery } from "./api";
import { PlaygroundBench } from "./PlaygroundBench";
import { newVariant, originOf } from "./variant";

/** Where prompts are tried on models, in variants beside each other. */
export function PlaygroundPage() {
  const project = useProject();
  const [from] = useUrlState("from");
  const origin = originOf(from);
  const offered = useQuery(offeredQuery(project));
  const start = useQuery(originQuery(project, origin));
  const usable = offered.data?.some(({ problem }) => problem === null) ?? false;
  const failed = offered.error ?? (usable ? start.error : null);
  if (offered.data !== undefined && usable && (origin === undefined || start.data !== undefined)) {
    const first = newVariant(1, offered.data);
    return <PlaygroundBench key={from} offered={offered.data} first={start.data?.(first, offered.data) ?? first} />;
  }
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title="Playground" documentTitle={`Playground · ${project.name}`} />
      {failed !== null && <ErrorState error={failed} onRetry={() => void Promise.all([offered.refetch(), start.refetch()])} />}
      {failed === null && (offered.data === undefined || usable) && <div className="p-4"><SkeletonRows rows={6} label="Loading the models" /></div>}
      {failed === null && offered.data !== undefined && !usable && <NoModels problem={offered.data[0]?.problem ?? undefined} />}
    </div>
  );
}

function NoModels({ problem }: { problem: string | undefined }) {
  const project = useProject();
  const mayConnect = allows(project.role, "ADMIN");
  const settings = <Link to="/project/$projectId/settings/{-$page}" params={{ projectId: project.id, page: "llm-connections" }} className={buttonClass(mayConnect ? "primary" : "secondary")}>{mayConnect ? "Connect a provider" : "See the connections"}</Link>;
  return (
    <EmptyState icon={FlaskConical} title="No model can be asked yet" actions={settings}>
      {problem ?? `Prompts are tried through a connection to a provider, such as OpenAI, Anthropic, Google or a gateway of your own. ${mayConnect ? "You need a key of theirs." : "Someone with the role ADMIN makes one."}`}
    </EmptyState>
  );
}
