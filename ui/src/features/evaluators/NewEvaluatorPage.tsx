import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { useToast } from "@/shared/ui/Toast";
import { createEvaluator, evaluatorsKey } from "./api";
import { bodyOf, isRenamed, isRewritten, kindNames, newDraft, problemOf } from "./draft";
import { EvaluatorForm } from "./EvaluatorForm";
import { LeaveDialog } from "./LeaveDialog";
import { TrialPanel } from "./TrialPanel";

const kinds = [{ value: "code", label: kindNames.code }, { value: "judge", label: kindNames.llm_as_judge }] as const;

/** Makes an evaluator, which can be tried on observations before it is saved. */
export function NewEvaluatorPage() {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [asked, setAsked] = useUrlState("kind", "code");
  const kind = asked === "judge" ? "llm_as_judge" : "code";
  const [draft, setDraft] = useState(() => newDraft(kind));
  const [tried, setTried] = useState(false);
  const saved = useRef(false); // what is saved need not be kept from leaving
  const shown = { ...draft, kind } as const;
  const fresh = newDraft(kind);
  const changed = isRenamed(fresh, shown) || isRewritten(fresh, shown);
  const create = useMutation({
    mutationFn: () => createEvaluator(project, bodyOf(shown)),
    onSuccess: async (made) => {
      saved.current = true;
      await queries.invalidateQueries({ queryKey: evaluatorsKey(project) });
      toast({ title: `${made.name} is created`, detail: "A rule says which observations it looks at." });
      await navigate({ to: "/project/$projectId/evaluators/$evaluatorId", params: { projectId: project.id, evaluatorId: made.id }, search: ((before: object) => ({ ...before, kind: undefined })) as never });
    },
  });
  const save = () => {
    setTried(true);
    if (problemOf(shown) === undefined && !create.isPending) create.mutate();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  useShortcuts("Evaluator", [{ keys: "mod+s", label: "Create the evaluator", run: save }]);
  if (!allows(project.role, "MEMBER")) return <><PageHeader title="New evaluator" /><EmptyState title="Evaluators are made by members">You are {project.role} here. An admin can give you the role MEMBER.</EmptyState></>;
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title="New evaluator" documentTitle={`New evaluator · ${project.name}`} actions={<Button variant="primary" busy={create.isPending} aria-keyshortcuts="Control+S" onClick={save}>Create evaluator</Button>}>
        <SegmentedControl label="Kind" value={kind === "code" ? "code" : "judge"} onChange={setAsked} segments={kinds} />
      </PageHeader>
      <div className="grid min-w-0 gap-4 p-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
        <form className="flex min-w-0 flex-col gap-4" onSubmit={submit} noValidate>
          <EvaluatorForm key={kind} draft={shown} onChange={setDraft} isNew />
          {tried && problemOf(shown) !== undefined && <p role="alert" className="text-xs text-danger">{problemOf(shown)}</p>}
          {create.error !== null && <ErrorState error={create.error} compact className="p-0!" />}
        </form>
        <TrialPanel draft={shown} />
      </div>
      <LeaveDialog changed={() => changed && !saved.current} />
    </div>
  );
}
