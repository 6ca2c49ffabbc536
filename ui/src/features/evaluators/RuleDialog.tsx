import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { CodeEditor } from "@/shared/code/CodeEditor";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { NumberField } from "@/shared/ui/NumberField";
import { Select } from "@/shared/ui/Select";
import { Switch } from "@/shared/ui/Switch";
import { TextField } from "@/shared/ui/TextField";
import { changeRule, createRule, type Evaluator, type Rule, type RuleDraft, rulesQuery } from "./api";

const everyGeneration = '[\n  {"type": "stringOptions", "column": "type", "operator": "any of", "value": ["GENERATION"]}\n]';

function conditions(text: string): RuleDraft["filter"] | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "[]" : text);
    return Array.isArray(value) ? (value as RuleDraft["filter"]) : undefined;
  } catch {
    return undefined;
  }
}

/** Makes a rule or changes one. */
export function RuleDialog({ rule, evaluators, onClose }: { rule: Rule | null; evaluators: Evaluator[]; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const form = useId();
  const [name, setName] = useState(rule?.name ?? "");
  const [evaluatorId, setEvaluatorId] = useState(rule?.evaluatorAssignments[0]?.evaluatorId ?? evaluators[0]?.id ?? "");
  const [filter, setFilter] = useState(rule === null ? everyGeneration : JSON.stringify(rule.filter, null, 2));
  const [percent, setPercent] = useState<number | null>((rule?.sampling ?? 1) * 100);
  const [runs, setRuns] = useState<number | null>(rule === null ? 1000 : rule.maxRunsPerDay);
  const [enabled, setEnabled] = useState(rule?.enabled ?? true);
  const parsed = conditions(filter);
  const several = (rule?.evaluatorAssignments.length ?? 0) > 1;
  const save = useMutation({
    mutationFn: () => {
      const draft: RuleDraft = { name, enabled, filter: parsed, sampling: (percent ?? 100) / 100, maxRunsPerDay: runs };
      if (!several) draft.evaluatorAssignments = [{ evaluatorId }];
      return rule === null ? createRule(project, draft) : changeRule(project, rule.id, draft);
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: rulesQuery(project).queryKey });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending && parsed !== undefined) save.mutate();
  };
  return (
    <Dialog
      open onOpenChange={onClose} keep size="wide" title={rule === null ? "New rule" : rule.name} description="Observations that are accepted from now on are decided once, a few seconds after they came."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending}>{rule === null ? "Create" : "Save"}</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} maxLength={200} required />
        {!several && <Select label="Evaluator" value={evaluatorId} onChange={setEvaluatorId} options={evaluators.map(({ id, name: label }) => ({ value: id, label }))} className="max-w-96" />}
        <div className="flex flex-col gap-1">
          <CodeEditor label="Filter: a list of conditions" language="json" value={filter} onChange={setFilter} invalid={parsed === undefined} describedBy={`${form}-filter`} minLines={4} />
          <p id={`${form}-filter`} className={parsed === undefined ? "text-xs text-danger" : "text-xs text-text-3"}>{parsed === undefined ? "This is no JSON list." : "Conditions as in the filter of the API. An empty list matches everything."}</p>
        </div>
        <div className="flex flex-wrap gap-4">
          <NumberField label="Sample" value={percent} onChange={setPercent} min={0} max={100} unit="%" />
          <NumberField label="Runs per day at most" value={runs} onChange={setRuns} min={0} hint="Empty: no bound" />
        </div>
        <Switch checked={enabled} onChange={setEnabled}>Enabled</Switch>
        {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}
