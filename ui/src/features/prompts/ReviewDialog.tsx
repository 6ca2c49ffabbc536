import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { DiffView } from "@/shared/code/DiffView";
import { useProject } from "@/shared/api/project";
import { createPrompt, promptsKey } from "@/shared/prompt/api";
import { printContent } from "@/shared/prompt/content";
import { Button } from "@/shared/ui/Button";
import { Checkbox } from "@/shared/ui/Checkbox";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { TextField } from "@/shared/ui/TextField";
import type { Prompt } from "./api";
import { type Draft, draftOf, labelsProblem, listOf } from "./draft";
import { production } from "./LabelBadges";

interface ReviewDialogProps {
  base: Prompt;
  draft: Draft;
  onClose: () => void;
  onSaved: (version: number) => void;
}

/** Shows what a new version changes, and asks why, before it is made. */
export function ReviewDialog({ base, draft, onClose, onSaved }: ReviewDialogProps) {
  const project = useProject();
  const queries = useQueryClient();
  const form = useId();
  const [message, setMessage] = useState("");
  const [live, setLive] = useState(false);
  const [labels, setLabels] = useState("");
  const wanted = [...(live ? [production] : []), ...listOf(labels)];
  const wrong = labelsProblem(listOf(labels));
  const save = useMutation({
    mutationFn: () => createPrompt(project, {
      name: base.name, type: base.type, prompt: draft.content, config: JSON.parse(draft.config), labels: [...new Set(wanted)], commitMessage: message.trim() === "" ? undefined : message.trim(),
    }),
    onSuccess: async ({ version }) => {
      await queries.invalidateQueries({ queryKey: promptsKey(project) });
      onSaved(version);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wrong === undefined && !save.isPending) save.mutate();
  };
  const before = draftOf(base);
  return (
    <Dialog
      open onOpenChange={onClose} size="wide" title="Save a new version" description={`What it changes against version ${base.version}. That version stays as it is.`}
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending}>Save version</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Why" value={message} onChange={setMessage} maxLength={500} placeholder="Answers name their source" hint="Shown beside the version." />
        <DiffView before={printContent(before.content)} after={printContent(draft.content)} beforeLabel={`Version ${base.version}`} afterLabel="New version" language="prompt" />
        {before.config !== draft.config && <DiffView before={before.config} after={draft.config} beforeLabel={`Config of version ${base.version}`} afterLabel="New config" language="json" />}
        <Checkbox checked={live} onChange={setLive} hint="Applications that ask for no other label or version get it within a minute.">Move the label {production} to it</Checkbox>
        <TextField label="Other labels" value={labels} onChange={setLabels} error={wrong} hint="With commas between them. They leave the versions that have them." placeholder="staging, eu" />
        {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}
