import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Select } from "@/shared/ui/Select";
import { TextArea, TextField } from "@/shared/ui/TextField";
import { CategoryFields } from "./CategoryFields";
import { bodyOf, type ConfigDraft, draftOf, emptyDraft, problemsOf, type ScoreConfig } from "./draft";

export const typeOptions = [
  { value: "CATEGORICAL", label: "Category" }, { value: "BOOLEAN", label: "Yes or no" }, { value: "NUMERIC", label: "Number" }, { value: "TEXT", label: "Text" },
] as const;

interface ConfigDialogProps {
  /** The config that is changed; none: a new one. */
  before?: ScoreConfig;
  onClose: () => void;
  onSaved: (config: ScoreConfig) => void;
}

/** Makes or changes a score config. Scores that were given stay as they are. */
export function ConfigDialog({ before, onClose, onSaved }: ConfigDialogProps) {
  const project = useProject();
  const queries = useQueryClient();
  const form = useId();
  const [draft, setDraft] = useState<ConfigDraft>(() => (before === undefined ? emptyDraft : draftOf(before)));
  const [tried, setTried] = useState(false);
  const found = problemsOf(draft);
  const problems = tried ? found : new Map<string | number, string>();
  const save = useMutation({
    mutationFn: async () => {
      const { data } = before === undefined
        ? await project.api.POST("/api/public/score-configs", { body: { ...bodyOf(draft), dataType: draft.dataType } })
        : await project.api.PATCH("/api/public/score-configs/{configId}", { params: { path: { configId: before.id } }, body: bodyOf(draft) });
      return data!;
    },
    onSuccess: (config) => {
      void queries.invalidateQueries({ queryKey: ["score-configs", project.id] });
      onSaved(config);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    flushSync(() => setTried(true)); // so that what is wrong is marked, and can be gone to
    event.currentTarget.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    if (found.size === 0 && !save.isPending) save.mutate();
  };
  const set = (change: Partial<ConfigDraft>) => setDraft((now) => ({ ...now, ...change }));
  const refused = save.error === null ? undefined : describeError(save.error);
  return (
    <Dialog
      open onOpenChange={onClose} title={before === undefined ? "New score config" : `Edit ${before.name}`} description="What people and programs may give as this score. Scores that were given before stay as they are."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending}>Save</Button></>}
    >
      <form id={form} noValidate className="flex flex-col gap-3" onSubmit={submit}>
        {refused !== undefined && <Banner tone="danger">{refused.message}{refused.hint !== undefined && ` ${refused.hint}`}</Banner>}
        <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} required maxLength={35} error={problems.get("name")} />
        <Select label="Type" value={draft.dataType} onChange={(dataType) => set({ dataType })} options={typeOptions} disabled={before !== undefined} hint={before === undefined ? undefined : "The type cannot change: scores of it exist."} />
        <TextArea label="Description" rows={2} value={draft.description} onChange={(description) => set({ description })} hint="What reviewers should look at. Shown beside the field." />
        {draft.dataType === "NUMERIC" && (
          <div className="grid grid-cols-2 gap-2">
            <TextField label="Lowest value" inputMode="decimal" value={draft.min} onChange={(min) => set({ min })} error={problems.get("min")} hint={before?.minValue != null ? "Can be changed, not removed." : undefined} />
            <TextField label="Highest value" inputMode="decimal" value={draft.max} onChange={(max) => set({ max })} error={problems.get("max")} hint={before?.maxValue != null ? "Can be changed, not removed." : undefined} />
          </div>
        )}
        {draft.dataType === "CATEGORICAL" && <CategoryFields draft={draft} problems={problems} onChange={(categories) => set({ categories })} />}
      </form>
    </Dialog>
  );
}
