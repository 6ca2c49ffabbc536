import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { CodeEditor } from "@/shared/code/CodeEditor";
import { formatCount } from "@/shared/lib/format";
import { promptQuery } from "@/shared/prompt/api";
import { contentOf, printContent, referencesOf } from "@/shared/prompt/content";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type Dependent, dependentsQuery, type Prompt } from "./api";

/** Which prompts this one includes, what comes of that, and which include it. */
export function ReferencesPanel({ prompt }: { prompt: Prompt }) {
  const includes = referencesOf(contentOf(prompt.prompt));
  return (
    <div className="flex flex-col gap-6">
      <section aria-labelledby="includes" className="flex flex-col gap-2">
        <h2 id="includes" className="text-sm font-medium">It includes</h2>
        {includes.length === 0 ? (
          <p className="text-sm text-text-2">No other prompt. Write <code className="font-mono text-xs break-all">@@@langfusePrompt:name=NAME|label=production@@@</code> to include a text prompt, by label or by version.</p>
        ) : (
          <>
            <ul className="flex flex-col">{includes.map(({ name, version, label }) => <li key={`${name} ${version} ${label}`} className="text-sm"><PromptLink name={name} version={version} />, {version === undefined ? `the version with the label ${label}` : `version ${version}`}</li>)}</ul>
            <Resolved prompt={prompt} />
          </>
        )}
      </section>
      <Dependents name={prompt.name} />
    </div>
  );
}

function Resolved({ prompt }: { prompt: Prompt }) {
  const project = useProject();
  const { data, error, refetch } = useQuery(promptQuery(project, prompt.name, prompt.version, true));
  return (
    <>
      <h3 className="pt-2 text-xs font-medium text-text-2">As an application gets it now</h3>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} compact />}
      {error === null && data === undefined && <SkeletonRows rows={3} label="Loading the resolved prompt" />}
      {data !== undefined && <CodeEditor label="Resolved prompt" language="prompt" value={printContent(contentOf(data.prompt))} readOnly />}
    </>
  );
}

function Dependents({ name }: { name: string }) {
  const project = useProject();
  const { data, error, refetch } = useQuery(dependentsQuery(project, name));
  return (
    <section aria-labelledby="dependents" className="flex flex-col gap-2">
      <h2 id="dependents" className="text-sm font-medium">Included by</h2>
      {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact />}
      {error === null && data === undefined && <SkeletonRows rows={2} label="Loading who includes it" />}
      {data?.total === 0 && <p className="text-sm text-text-2">No other prompt.</p>}
      {data !== undefined && data.total > 0 && <ul className="flex flex-col">{data.dependents.map((each) => <li key={`${each.name} ${each.version} ${each.includesLabel} ${each.includesVersion}`} className="text-sm"><DependentLine dependent={each} /></li>)}</ul>}
      {data !== undefined && data.total > data.dependents.length && <p className="text-xs text-text-3">The first {formatCount(data.dependents.length)} of {formatCount(data.total)}.</p>}
    </section>
  );
}

function DependentLine({ dependent: { name, version, includesLabel, includesVersion } }: { dependent: Dependent }) {
  return <><PromptLink name={name} version={version} />, version {version}, includes {includesVersion === null ? `the version with the label ${includesLabel}` : `version ${includesVersion}`}</>;
}

function PromptLink({ name, version }: { name: string; version?: number }) {
  const project = useProject();
  return <Link to="/project/$projectId/prompts/$" params={{ projectId: project.id, _splat: name }} search={{ version: version === undefined ? undefined : String(version) } as never} className="inline-flex min-h-6 items-center break-all text-accent hover:underline">{name}</Link>;
}
