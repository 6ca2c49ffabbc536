import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { CodeEditor } from "@/shared/code/CodeEditor";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { changeEvaluator, createEvaluator, type Evaluator, evaluatorsQuery, tryEvaluator } from "./api";
import { meaningOf, templates } from "./words";

/** Makes an evaluator of code or changes one, and tries it on an observation before it is saved. */
export function EvaluatorDialog({ evaluator, onClose }: { evaluator: Evaluator | null; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const form = useId();
  const [name, setName] = useState(evaluator?.name ?? "");
  const [template, setTemplate] = useState(templates[0]!.value);
  const [code, setCode] = useState(evaluator?.sourceCode ?? templates[0]!.code);
  const definition = { type: "code", name, sourceCode: code, sourceCodeLanguage: "TYPESCRIPT" } as const;
  const save = useMutation({
    mutationFn: () => (evaluator === null ? createEvaluator(project, definition) : changeEvaluator(project, evaluator.id, definition)),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: evaluatorsQuery(project).queryKey });
      onClose();
    },
  });
  const judge = evaluator?.type === "llm_as_judge";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  const choose = (value: string) => {
    setTemplate(value);
    setCode(templates.find((one) => one.value === value)!.code);
  };
  return (
    <Dialog
      open onOpenChange={onClose} keep size="wide" title={evaluator === null ? "New evaluator" : evaluator.name}
      description="TypeScript that looks at one observation. It runs without files, network or clock."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending} disabled={judge}>{evaluator === null ? "Create" : "Save as a new version"}</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        {judge && <Banner tone="info">An evaluator that asks a model is changed through the API for now.</Banner>}
        <TextField label="Name" value={name} onChange={setName} maxLength={200} required />
        {evaluator === null && <Select label="Begin with" value={template} onChange={choose} options={templates} className="max-w-96" />}
        {!judge && <CodeEditor label="Source code" language="text" value={code} onChange={setCode} minLines={10} />}
        {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      </form>
      {!judge && <Trial draft={definition} />}
    </Dialog>
  );
}

/** Runs what is written on one observation. Nothing is stored. */
function Trial({ draft }: { draft: Omit<Parameters<typeof tryEvaluator>[1], "traceId" | "observationId"> }) {
  const project = useProject();
  const [traceId, setTraceId] = useState("");
  const [observationId, setObservationId] = useState("");
  const trial = useMutation({ mutationFn: () => tryEvaluator(project, { ...draft, name: draft.name.trim() || "draft", traceId: traceId.trim(), observationId: observationId.trim() }) });
  return (
    <section aria-label="Try it" className="mt-4 flex flex-col gap-3 border-t border-line pt-3">
      <div className="flex flex-wrap items-end gap-3">
        <TextField label="Trace" value={traceId} onChange={setTraceId} className="min-w-40 flex-1" />
        <TextField label="Observation" value={observationId} onChange={setObservationId} className="min-w-40 flex-1" />
        <Button busy={trial.isPending} disabled={traceId.trim() === "" || observationId.trim() === ""} onClick={() => trial.mutate()}>Try it</Button>
      </div>
      <div role="status" className="text-xs">
        {trial.data?.reason != null && <p className="text-danger">{meaningOf(trial.data.reason)}: {trial.data.message}</p>}
        {trial.data?.scores.map((score) => <p key={score.name}><span className="font-medium">{score.name}</span> {String(score.value)} <span className="text-text-3">{score.comment}</span></p>)}
      </div>
      {trial.error !== null && <ErrorState error={trial.error} compact className="p-0!" />}
    </section>
  );
}
