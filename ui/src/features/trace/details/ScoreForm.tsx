import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { ScoreValueField } from "@/shared/score/ScoreValueField";
import { configsQuery, createScore, type Draft, problemsOf, type Score, type ScoreType } from "@/shared/score/scores";
import type { Subject } from "@/shared/score/subject";

interface ScoreFormProps {
  subject: Subject;
  asked: number;
  onCreated: (score: Score) => void;
}

/** Values of the list of rules that are no id of a config. */
const free = "";
const correction = "\n";

const types: readonly { value: ScoreType; label: string }[] = [
  { value: "NUMERIC", label: "Number" }, { value: "BOOLEAN", label: "Yes or no" }, { value: "CATEGORICAL", label: "Category" }, { value: "TEXT", label: "Text" },
];

/** Gives a score. One with a config is held to it; others have a name and type of their own. */
export function ScoreForm({ subject, asked, onCreated }: ScoreFormProps) {
  const project = useProject();
  const { data: configs = [] } = useQuery(configsQuery(project));
  const [rule, setRule] = useState<string>();
  const [draft, setDraft] = useState<Pick<Draft, "name" | "dataType" | "value" | "comment">>({ name: "", dataType: "NUMERIC", value: "", comment: "" });
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (asked > 0) form.current?.querySelector<HTMLElement>("select,input")?.focus();
  }, [asked]);

  const chosen = rule ?? configs[0]?.id ?? free;
  const config = configs.find(({ id }) => id === chosen);
  const whole: Draft = { ...draft, config, dataType: chosen === correction ? "CORRECTION" : (config?.dataType ?? draft.dataType) };
  const problems = tried ? problemsOf(whole) : {};
  const set = (change: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...change }));
  const save = useMutation({
    mutationFn: () => createScore(project, subject, whole),
    onSuccess: (score) => {
      onCreated(score);
      setTried(false);
      set({ value: "", comment: "" });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problemsOf(whole)).length === 0 && !save.isPending) save.mutate();
  };
  const rules = [...configs.map(({ id, name }) => ({ value: id, label: name })), { value: free, label: "Another score" }, ...(subject.observationId === undefined ? [] : [{ value: correction, label: "Correction of the output" }])];
  return (
    <form ref={form} noValidate aria-label="Give a score" className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-3" onSubmit={submit}>
      {rules.length > 1 && <Select label="Score" value={chosen} options={rules} hint={config?.description ?? undefined} onChange={(next) => (setRule(next), set({ value: "" }))} />}
      {chosen === free && (
        <div className="grid grid-cols-2 gap-2">
          <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} error={problems.name} />
          <Select label="Type" value={draft.dataType} onChange={(dataType) => set({ dataType, value: "" })} options={types} />
        </div>
      )}
      <ScoreValueField draft={whole} onChange={(value) => set({ value })} error={problems.value} />
      {chosen !== correction && <TextField label="Comment" value={draft.comment} onChange={(comment) => set({ comment })} placeholder="Why (not needed)" />}
      {save.error !== null && <p role="alert" className="text-xs text-danger">{describeError(save.error).message}</p>}
      <div className="flex justify-end"><Button type="submit" variant="primary" busy={save.isPending}>Give score</Button></div>
      <LiveRegion>{save.isSuccess ? "The score is saved" : ""}</LiveRegion>
    </form>
  );
}
