import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { createPrompt, promptsKey } from "@/shared/prompt/api";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { savedAs, type SavedVersion, type Variant } from "./variant";

/** Keeps a variant as the next version of a prompt, with its model and parameters in the config. */
export function SaveDialog({ variant, onClose }: { variant: Variant; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const form = useId();
  const [name, setName] = useState(variant.prompt?.name ?? "");
  const [message, setMessage] = useState("");
  const content = savedAs(variant, name.trim());
  const save = useMutation({
    mutationFn: (version: SavedVersion) => createPrompt(project, { name: name.trim(), ...version, config: configOf(variant), labels: [], commitMessage: message.trim() || undefined }),
    onSuccess: async (made) => {
      onClose();
      const open = () => void navigate({ to: "/project/$projectId/prompts/$", params: { projectId: project.id, _splat: made.name }, search: { version: String(made.version) } as never });
      toast({ title: `Saved as ${made.name}, version ${made.version}`, action: { label: "Open", run: open } });
      await queries.invalidateQueries({ queryKey: promptsKey(project) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "" && content !== undefined && !save.isPending) save.mutate(content);
  };
  return (
    <Dialog
      open onOpenChange={onClose} title="Save as a prompt" description={`A new prompt, or the next version of one that has this name.${variant.includes === true ? " Prompts that it included are written out in it." : ""}`}
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" disabled={name.trim() === "" || content === undefined} busy={save.isPending}>Save version</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} hint="Slashes make folders." error={content === undefined ? "Its versions are texts, and this has several messages. Give it another name." : undefined} placeholder="support/answer" autoComplete="off" />
        <TextField label="Why" value={message} onChange={setMessage} maxLength={500} hint="Shown beside the version." />
        {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}

function configOf({ model, temperature, topP, maxTokens }: Variant) {
  return {
    model, ...(temperature !== null && { temperature }), ...(topP !== null && { top_p: topP }), ...(maxTokens !== null && { max_tokens: maxTokens }),
  };
}
