import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Save } from "lucide-react";
import { useRef, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { describeError } from "@/shared/api/describeError";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Badge } from "@/shared/ui/Badge";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { PageHeader } from "@/shared/ui/PageHeader";
import { useToast } from "@/shared/ui/Toast";
import { changeEvaluator, type Evaluator, evaluatorsKey, type EvaluatorVersion } from "./api";
import { bodyOf, draftOf, isRenamed, isRewritten, kindNames, problemOf } from "./draft";
import { EvaluatorActions } from "./EvaluatorActions";
import { EvaluatorForm } from "./EvaluatorForm";
import { LeaveDialog } from "./LeaveDialog";
import { ReviewDialog } from "./ReviewDialog";
import { TrialPanel } from "./TrialPanel";
import { UsedBy } from "./UsedBy";
import { VersionDiff } from "./VersionDiff";
import { VersionRail } from "./VersionRail";

interface EvaluatorBenchProps {
  evaluator: Evaluator;
  version: EvaluatorVersion;
  versions: readonly EvaluatorVersion[];
}

/** One version of an evaluator: to read, try, compare and change. Saving never changes it: it makes the next one, which counts from then on. */
export function EvaluatorBench({ evaluator, version, versions }: EvaluatorBenchProps) {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [diff] = useUrlState("diff");
  const before = draftOf(evaluator, version);
  const [draft, setDraft] = useState(before);
  const [reviewing, setReviewing] = useState(false);
  const saved = useRef(false);
  const mayWrite = allows(project.role, "MEMBER");
  const rewritten = isRewritten(before, draft);
  const changed = mayWrite && (rewritten || isRenamed(before, draft));
  const compared = versions.find((one) => String(one.version) === diff && one.id !== version.id);
  const done = async (title: string) => {
    saved.current = true;
    await queries.invalidateQueries({ queryKey: evaluatorsKey(project) });
    setReviewing(false);
    toast({ title });
    await navigate({ to: ".", search: ((search: object) => ({ ...search, version: undefined, diff: undefined })) as never });
    saved.current = false;
  };
  const rename = useMutation({
    mutationFn: () => changeEvaluator(project, evaluator.id, { name: draft.name.trim(), description: draft.description.trim() || null }),
    onSuccess: () => done("Saved"),
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  const save = () => {
    const problem = problemOf(draft);
    if (problem !== undefined) toast({ kind: "error", title: "This cannot be saved yet", detail: problem });
    else if (rewritten) setReviewing(true);
    else if (changed && !rename.isPending) rename.mutate();
    else if (!changed) toast({ kind: "info", title: "Nothing changed", detail: `This is version ${version.version} as it was saved.` });
  };
  useShortcuts("Evaluator", mayWrite ? [{ keys: "mod+s", label: "Save", run: save }] : []);
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader
        title={evaluator.name} documentTitle={`${evaluator.name} · Evaluators · ${project.name}`}
        actions={<>{mayWrite && <Button variant="primary" icon={Save} disabled={!changed} busy={rename.isPending} aria-keyshortcuts="Control+S" onClick={save}>Save…</Button>}<EvaluatorActions evaluator={evaluator} /></>}
      >
        <span className="flex flex-wrap items-center gap-1.5 text-xs text-text-2">
          <Link to="/project/$projectId/evaluators" params={{ projectId: project.id }} className="inline-flex min-h-6 items-center text-accent underline-offset-2 hover:underline">Evaluators</Link>
          <Badge>{kindNames[evaluator.type]}</Badge> Version {version.version}
          {version.version !== evaluator.version && <Badge tone="warn">version {evaluator.version} counts</Badge>}
          {evaluator.status === "paused" && <Badge tone="warn">paused</Badge>}
          {changed && <Badge tone="warn">Not saved</Badge>}
        </span>
      </PageHeader>
      {evaluator.status === "paused" && <Banner tone="warn" className="mx-4 mt-3">It is paused: {evaluator.pausedMessage ?? "rules skip it until it is resumed."}</Banner>}
      <div className="flex min-w-0 flex-1 flex-col md:flex-row">
        <VersionRail projectId={project.id} evaluatorId={evaluator.id} versions={versions} current={version.version} newest={evaluator.version} compared={compared?.version} />
        <div className="min-w-0 flex-1 p-4">
          {compared !== undefined ? <VersionDiff evaluator={evaluator} one={version} other={compared} /> : (
            <div className="grid min-w-0 gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
              <div className="flex min-w-0 flex-col gap-4">
                <EvaluatorForm draft={draft} onChange={setDraft} readOnly={!mayWrite} />
                <UsedBy evaluator={evaluator} />
              </div>
              {mayWrite && <TrialPanel draft={draft} />}
            </div>
          )}
        </div>
      </div>
      {reviewing && <ReviewDialog before={before} after={draft} version={version.version} save={() => changeEvaluator(project, evaluator.id, bodyOf(draft))} onClose={() => setReviewing(false)} onSaved={(next) => done(`Version ${next} is saved`)} />}
      <LeaveDialog changed={() => changed && !saved.current} />
    </div>
  );
}
