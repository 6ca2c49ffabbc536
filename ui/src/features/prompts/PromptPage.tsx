import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { ApiError } from "@/shared/api/errors";
import { useUrlState } from "@/shared/lib/useUrlState";
import { promptQuery } from "@/shared/prompt/api";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { versionsQuery } from "./api";
import { NewPromptPage } from "./NewPromptPage";
import { PromptWorkbench } from "./PromptWorkbench";

/** A prompt by its name in the address. No prompt is called "new": that is where one is made. */
export function PromptPage() {
  const { _splat: name = "" } = useParams({ strict: false });
  return name === "new" ? <NewPromptPage /> : <OnePrompt key={name} name={name} />;
}

function OnePrompt({ name }: { name: string }) {
  const project = useProject();
  const [text] = useUrlState("version");
  const version = /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
  const versions = useQuery(versionsQuery(project, name));
  const { data, error, refetch } = useQuery(promptQuery(project, name, version));
  if (data !== undefined && versions.data !== undefined) return <PromptWorkbench key={data.id} prompt={data} {...versions.data} />;
  const failed = error ?? versions.error;
  const missing = failed instanceof ApiError && failed.status === 404;
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title={name} documentTitle={`${name} · Prompts · ${project.name}`} />
      {missing && (
        <EmptyState title={version === undefined ? "No such prompt" : `No version ${version}`} actions={<Link to="/project/$projectId/prompts" params={{ projectId: project.id }} className={buttonClass("primary")}>All prompts</Link>}>
          {version === undefined ? "It may have been deleted, or belong to another project." : "This version was deleted, or never made."}
        </EmptyState>
      )}
      {failed !== null && !missing && <ErrorState error={failed} onRetry={() => void Promise.all([refetch(), versions.refetch()])} />}
      {failed === null && <div className="p-4"><SkeletonRows rows={10} label="Loading the prompt" /></div>}
    </div>
  );
}
