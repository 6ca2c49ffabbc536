import { CodeField } from "@/shared/code/CodeEditor";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import type { Draft } from "./draft";
import { JudgeFields } from "./JudgeFields";
import { codeTemplates, judgeTemplates } from "./templates";

interface EvaluatorFormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  readOnly?: boolean;
  /** A new one may begin with a template. */
  isNew?: boolean;
}

/** What an evaluator is called and does: its code, or what a model is asked. */
export function EvaluatorForm({ draft, onChange, readOnly = false, isNew = false }: EvaluatorFormProps) {
  const set = (patch: Partial<Draft>) => onChange({ ...draft, ...patch });
  const templates = draft.kind === "code" ? codeTemplates : judgeTemplates;
  const begin = (value: string) => {
    const code = codeTemplates.find((one) => one.value === value);
    const judge = judgeTemplates.find((one) => one.value === value);
    if (code !== undefined) set({ code: code.code });
    if (judge !== undefined) set({ messages: judge.messages, output: judge.output, mapping: [] });
  };
  const begun = draft.kind === "code" ? codeTemplates.find(({ code }) => code === draft.code) : judgeTemplates.find(({ messages }) => messages === draft.messages);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} maxLength={200} disabled={readOnly} required placeholder={draft.kind === "code" ? "Length of answers" : "Helpfulness"} hint={draft.kind === "code" ? undefined : "Its scores have this name."} />
        <TextField label="Description" value={draft.description} onChange={(description) => set({ description })} maxLength={1000} disabled={readOnly} />
      </div>
      {isNew && <Select label="Begin with" className="max-w-96" value={begun?.value ?? ""} onChange={begin} options={[...(begun === undefined ? [{ value: "", label: "What is written below" }] : []), ...templates.map(({ value, label }) => ({ value, label }))]} />}
      {draft.kind === "code" ? (
        <CodeField
          label="Source code" language="typescript" value={draft.code} onChange={(code) => set({ code })} readOnly={readOnly} minLines={16}
          hint="JavaScript or TypeScript with a function evaluate(ctx). ctx.observation has the columns of the observation, ctx.experiment the expected output. It runs without files, network or clock."
        />
      ) : <JudgeFields draft={draft} onChange={onChange} readOnly={readOnly} />}
    </div>
  );
}
