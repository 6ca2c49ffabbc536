import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { MultiSelect } from "@/shared/ui/MultiSelect";
import { NumberField } from "@/shared/ui/NumberField";
import { QueryBar } from "@/shared/ui/QueryBar";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { Switch } from "@/shared/ui/Switch";
import { TextField } from "@/shared/ui/TextField";
import { changeRule, createRule, evaluatorsKey, evaluatorsQuery, type Rule, rulesKey } from "./api";
import { kindNames } from "./draft";
import { Matching } from "./Matching";
import { bodyOf, draftOf, filterOf, newDraft, problemOf, queryProblem, ruleColumns, targets } from "./ruleDraft";

interface RuleDialogProps {
  /** Null: a new one. */
  rule: Rule | null;
  /** Evaluators that a new one begins with. */
  chosen?: string[];
  onClose: () => void;
}

/** Makes a rule or changes one. */
export function RuleDialog({ rule, chosen = [], onClose }: RuleDialogProps) {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useId();
  const evaluators = useQuery(evaluatorsQuery(project));
  const [draft, setDraft] = useState(() => (rule === null ? newDraft(chosen) : draftOf(rule)));
  const [tried, setTried] = useState(false);
  const set = (patch: Partial<typeof draft>) => setDraft({ ...draft, ...patch });
  const problem = problemOf(draft);
  const wrongQuery = queryProblem(draft.query);
  const save = useMutation({
    mutationFn: () => (rule === null ? createRule(project, bodyOf(draft, null)) : changeRule(project, rule.id, bodyOf(draft, rule))),
    onSuccess: async ({ id }) => {
      await Promise.all([queries.invalidateQueries({ queryKey: rulesKey(project) }), queries.invalidateQueries({ queryKey: evaluatorsKey(project) })]);
      onClose();
      if (rule === null) await navigate({ to: "/project/$projectId/evaluators/rules/$ruleId", params: { projectId: project.id, ruleId: id } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!save.isPending && problem === undefined) save.mutate();
  };
  return (
    <Dialog
      open onOpenChange={onClose} keep size="wide" title={rule === null ? "New rule" : `Change ${rule.name}`} description="Every observation that is accepted from now on is decided once, some seconds after it came. Those of the past are evaluated by a backfill."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending}>{rule === null ? "Create rule" : "Save"}</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit} noValidate>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} maxLength={200} required placeholder="Answers in production" />
          <MultiSelect label="Evaluators" values={draft.evaluatorIds} onChange={(evaluatorIds) => set({ evaluatorIds })} placeholder="Choose…" options={(evaluators.data ?? []).map(({ id, name, type, status }) => ({ value: id, label: `${name} (${kindNames[type]}${status === "paused" ? ", paused" : ""})` }))} />
        </div>
        <div className="flex flex-col gap-1">
          <span aria-hidden className="text-xs font-medium text-text-2">Which observations</span>
          <SegmentedControl label="Which observations" value={draft.target} onChange={(target) => set({ target })} segments={targets} className="self-start" />
        </div>
        <div className="flex flex-col gap-1">
          <span aria-hidden className="text-xs font-medium text-text-2">Only those with</span>
          <QueryBar label="Filter of the rule" value={draft.query} onCommit={(query) => set({ query })} catalog={ruleColumns} placeholder="Such as type:GENERATION environment:production" />
          {wrongQuery === undefined ? <Matching conditions={filterOf(draft)} /> : <p role="alert" className="text-xs text-danger">{wrongQuery}</p>}
        </div>
        <div className="grid gap-4 sm:grid-cols-3">
          <NumberField label="Sample" value={draft.percent} onChange={(percent) => set({ percent })} min={0} max={100} unit="%" hint="The same ones every time" />
          <NumberField label="Runs per day at most" value={draft.runs} onChange={(runs) => set({ runs })} min={1} step={1} hint="Empty: no bound" />
          <TextField label="Dollars per day at most" value={draft.cost} onChange={(cost) => set({ cost })} inputMode="decimal" hint="Empty: no bound" placeholder="2.50" />
        </div>
        <Switch checked={draft.enabled} onChange={(enabled) => set({ enabled })}>Enabled</Switch>
        {tried && problem !== undefined && problem !== wrongQuery && <p role="alert" className="text-xs text-danger">{problem}</p>}
        {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}
