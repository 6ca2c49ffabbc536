import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Kbd } from "@/shared/ui/Kbd";
import { rowQuery, tryEvaluator } from "./api";
import { bodyOf, type Draft, problemOf } from "./draft";
import { RowPicker } from "./RowPicker";
import { TrialResult } from "./TrialResult";

/** Runs what is written on one observation, which the address names: "TRACE:ID". Nothing is stored. */
export function TrialPanel({ draft }: { draft: Draft }) {
  const project = useProject();
  const [row, setRow] = useUrlState("row");
  const [traceId = "", observationId = ""] = row.split(":");
  const named = { ...draft, name: draft.name.trim() || "draft" };
  const problem = observationId === "" ? "Choose an observation." : problemOf(named);
  const trial = useMutation({ mutationFn: () => tryEvaluator(project, { ...bodyOf(named), traceId, observationId }) });
  const run = () => problem === undefined && !trial.isPending && trial.mutate();
  useShortcuts("Evaluator", [{ keys: "mod+enter", label: "Try it", run }]);
  return (
    <section aria-labelledby="trial-title" className="flex min-w-0 flex-col gap-3 self-start rounded-lg border border-line bg-raised p-4 w-full">
      <header className="flex flex-wrap items-center gap-2">
        <h2 id="trial-title" className="text-sm font-medium">Try it</h2>
        <span className="ml-auto text-xs text-text-3 max-md:hidden"><Kbd keys="mod+enter" /></span>
        <Button variant="primary" icon={Play} busy={trial.isPending} disabled={problem !== undefined} aria-keyshortcuts="Control+Enter" onClick={run}>Run</Button>
      </header>
      {problem !== undefined && <p className="text-xs text-text-2">{problem}</p>}
      <div role="status" className="flex flex-col gap-2">{trial.data !== undefined && <TrialResult trial={trial.data} />}</div>
      {trial.error !== null && <ErrorState error={trial.error} compact className="p-0!" />}
      <RowPicker traceId={traceId} observationId={observationId} onPick={(one) => { trial.reset(); setRow(`${one.traceId}:${one.id}`); }} />
      {observationId !== "" && <Content traceId={traceId} observationId={observationId} />}
    </section>
  );
}

/** What the observation was given and what it gave, as far as it fits. */
function Content({ traceId, observationId }: { traceId: string; observationId: string }) {
  const project = useProject();
  const { data, error, refetch } = useQuery(rowQuery(project, traceId, observationId));
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} compact className="p-0!" />;
  if (data === undefined) return null;
  if (data === null) return <p className="text-xs text-warn">This observation is not there any more. Choose another.</p>;
  return (
    <div className="flex min-w-0 flex-col gap-2 text-xs">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{data.name || data.id}</span>
        <Link to="/project/$projectId/traces/$traceId" params={{ projectId: project.id, traceId }} search={{ observation: observationId } as never} className="text-accent underline-offset-2 hover:underline">Open in its trace</Link>
      </p>
      {(["input", "output"] as const).map((part) => (
        <details key={part} className="min-w-0 rounded-md border border-line" open={part === "output"}>
          <summary className="min-h-6 cursor-pointer px-2 py-1 text-text-2 capitalize">{part}</summary>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
          <pre tabIndex={0} role="region" aria-label={part} className="max-h-40 overflow-auto border-t border-line px-2 py-1.5 font-mono break-words whitespace-pre-wrap">{textOf(data[part])}</pre>
        </details>
      ))}
    </div>
  );
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text === undefined || text === "null" || text === "" ? "nothing" : text.length > 4000 ? `${text.slice(0, 4000)}…` : text;
}
