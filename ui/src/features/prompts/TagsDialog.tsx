import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { promptsKey } from "@/shared/prompt/api";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { type Prompt, tagPrompt } from "./api";
import { listOf } from "./draft";

/** Changes the tags of a prompt, which all of its versions share. No version comes of it. */
export function TagsDialog({ prompt: { name, tags }, onClose }: { prompt: Prompt; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const form = useId();
  const [text, setText] = useState(tags.join(", "));
  const save = useMutation({
    mutationFn: () => tagPrompt(project, name, listOf(text)),
    onSuccess: async () => {
      toast({ title: `The tags of ${name} are saved` });
      onClose();
      await queries.invalidateQueries({ queryKey: promptsKey(project) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  return (
    <Dialog
      open onOpenChange={onClose} title={`Tags of ${name}`} description="Tags are for finding prompts. All versions share them; applications do not read by them."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending}>Save tags</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Tags" value={text} onChange={setText} hint="With commas between them." placeholder="support, billing" autoComplete="off" />
        {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}
