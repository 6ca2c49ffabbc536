import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileText, Plus } from "lucide-react";
import { allows, useProject } from "@/shared/api/project";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import { useRange } from "@/shared/lib/useRange";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Banner } from "@/shared/ui/Banner";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { PageHeader } from "@/shared/ui/PageHeader";
import { RangePicker } from "@/shared/ui/RangePicker";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { TextField } from "@/shared/ui/TextField";
import { mostPrompts, promptListQuery, usageQuery } from "./api";
import { isFound, listFolder, trailOf } from "./folders";
import { PromptTable } from "./PromptTable";

/** The prompts of a project, in folders by the slashes of their names. */
export function PromptsPage() {
  const project = useProject();
  const [folder] = useUrlState("folder");
  const [q, setQ] = useUrlState("q");
  const { range, now, from, to, setRange } = useRange("30d");
  const { data, error, refetch } = useQuery(promptListQuery(project));
  const usage = useQuery(usageQuery(project, { from, to }));
  const words = q.trim();
  const listing = words === "" ? listFolder(data?.prompts ?? [], folder) : { folders: [], prompts: (data?.prompts ?? []).filter((prompt) => isFound(prompt, words)) };
  const shown = listing.folders.length + listing.prompts.length;
  const create = allows(project.role, "MEMBER") && (
    <Link to="/project/$projectId/prompts/$" params={{ projectId: project.id, _splat: "new" }} className={buttonClass("primary")}><Plus size={14} aria-hidden />New prompt</Link>
  );
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title="Prompts" documentTitle={`Prompts · ${project.name}`} actions={<><RangePicker value={range} now={now} onChange={setRange} />{create}</>} />
      <div className="flex flex-col gap-3 p-4">
        {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
        {error === null && data === undefined && <SkeletonRows rows={8} label="Loading prompts" />}
        {data?.total === 0 && (
          <EmptyState icon={FileText} title="No prompts yet" actions={create}>
            Keep prompts here, and your application fetches the version with a label such as production. What it does with each version is shown beside it.
          </EmptyState>
        )}
        {data !== undefined && data.total > 0 && (
          <>
            <div className="flex flex-wrap items-end gap-3">
              <TextField label="Search" type="search" className="w-64 max-w-full" value={q} onChange={setQ} placeholder="Name, label or tag" />
              {words === "" && <Trail projectId={project.id} path={folder} />}
            </div>
            <LiveRegion>{formatNumberOf(shown, "row")}</LiveRegion>
            {data.total > mostPrompts && <Banner tone="warn">The first {formatCount(mostPrompts)} of {formatCount(data.total)} prompts are shown. Open others by their address.</Banner>}
            {shown === 0 ? <EmptyState title="Nothing here">{words === "" ? "No prompt is in this folder any more." : `No name, label or tag has “${words}” in it.`}</EmptyState> : <PromptTable projectId={project.id} listing={listing} usage={usage.data} whole={words !== ""} />}
          </>
        )}
      </div>
    </div>
  );
}

/** Where a folder lies, each step a link. */
function Trail({ projectId, path }: { projectId: string; path: string }) {
  if (path === "") return null;
  const steps = [{ name: "All prompts", path: "" }, ...trailOf(path)];
  return (
    <nav aria-label="Folder" className="min-w-0 py-1.5">
      <ol className="flex flex-wrap items-center gap-1 text-xs">
        {steps.map((step, index) => (
          <li key={step.path} className="flex items-center gap-1">
            {index > 0 && <span aria-hidden className="text-text-3">/</span>}
            {index === steps.length - 1
              ? <span aria-current="page" className="font-medium">{step.name}</span>
              : <Link to="/project/$projectId/prompts" params={{ projectId }} search={((before: object) => ({ ...before, folder: step.path || undefined })) as never} className="inline-flex min-h-6 items-center text-accent hover:underline">{step.name}</Link>}
          </li>
        ))}
      </ol>
    </nav>
  );
}
