import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { DiffView } from "@/shared/code/DiffView";
import { useUrlState } from "@/shared/lib/useUrlState";
import { promptQuery } from "@/shared/prompt/api";
import { contentOf, printContent } from "@/shared/prompt/content";
import { buttonClass } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import type { Prompt } from "./api";
import { printConfig } from "./draft";

const layouts = [{ value: "split", label: "Split" }, { value: "unified", label: "Unified" }] as const;

/** What differs between two versions of a prompt; the older one is on the left. */
export function VersionDiff({ prompt, with: version }: { prompt: Prompt; with: number }) {
  const project = useProject();
  const [layout, setLayout] = useUrlState("layout");
  const { data, error, refetch } = useQuery(promptQuery(project, prompt.name, version));
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows rows={6} label="Loading the other version" />;
  const [older, newer] = data.version < prompt.version ? [data, prompt] : [prompt, data];
  const [before, after] = [printConfig(older.config), printConfig(newer.config)];
  const asked = layouts.find(({ value }) => value === layout)?.value;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-sm font-medium">Version {older.version} and version {newer.version}</h2>
        <span className="ml-auto" />
        <SegmentedControl label="Layout" value={asked ?? "split"} onChange={setLayout} segments={layouts} className="max-md:hidden" />
        <Link to="/project/$projectId/prompts/$" params={{ projectId: project.id, _splat: prompt.name }} search={((search: object) => ({ ...search, diff: undefined, layout: undefined })) as never} className={buttonClass()}>Close</Link>
      </div>
      <DiffView before={printContent(contentOf(older.prompt))} after={printContent(contentOf(newer.prompt))} beforeLabel={`Version ${older.version}`} afterLabel={`Version ${newer.version}`} language="prompt" layout={asked} />
      {before !== after && <DiffView before={before} after={after} beforeLabel={`Config of version ${older.version}`} afterLabel={`Config of version ${newer.version}`} language="json" layout={asked} />}
      {before === after && <p className="text-xs text-text-3">Both have the same config.</p>}
    </div>
  );
}
