import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, FlaskConical, Hash, Save, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { promptsKey } from "@/shared/prompt/api";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button, buttonClass } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";
import { deletePrompt, type Prompt, type PromptVersion } from "./api";
import { LabelDialog } from "./LabelDialog";
import { TagsDialog } from "./TagsDialog";

interface PromptActionsProps {
  prompt: Prompt;
  versions: readonly PromptVersion[];
  changed: boolean;
  onSave: () => void;
}

/** What can be done with a version. */
export function PromptActions({ prompt, versions, changed, onSave }: PromptActionsProps) {
  const project = useProject();
  const [open, setOpen] = useState<"label" | "tags" | null>(null);
  const [deleting, setDeleting] = useState<"version" | "all" | null>(null);
  const mayWrite = allows(project.role, "MEMBER");
  return (
    <>
      <Link to="/project/$projectId/playground" params={{ projectId: project.id }} search={{ from: `prompt:${prompt.version}:${prompt.name}` } as never} className={buttonClass()}><FlaskConical size={14} aria-hidden />Try it</Link>
      {mayWrite && (
        <>
          <Button icon={Tag} onClick={() => setOpen("label")}>Label…</Button>
          <Button variant="primary" icon={Save} disabled={!changed} aria-keyshortcuts="Control+S" onClick={onSave}>Save…</Button>
          <Menu trigger={<IconButton icon={Ellipsis} label="More" variant="secondary" />}>
            <MenuItem icon={Hash} onSelect={() => setOpen("tags")}>Tags…</MenuItem>
            <MenuItem icon={Trash2} danger onSelect={() => setDeleting("version")}>Delete version {prompt.version}…</MenuItem>
            <MenuItem icon={Trash2} danger onSelect={() => setDeleting("all")}>Delete all versions…</MenuItem>
          </Menu>
        </>
      )}
      {open === "label" && <LabelDialog prompt={prompt} versions={versions} onClose={() => setOpen(null)} />}
      {open === "tags" && <TagsDialog prompt={prompt} onClose={() => setOpen(null)} />}
      {deleting !== null && <DeleteDialog prompt={prompt} whole={deleting === "all" || versions.length === 1} onClose={() => setDeleting(null)} />}
    </>
  );
}

function DeleteDialog({ prompt: { name, version }, whole, onClose }: { prompt: Prompt; whole: boolean; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const what = whole ? name : `version ${version}`;
  const remove = useMutation({
    mutationFn: () => deletePrompt(project, name, whole ? undefined : version),
    onSuccess: async () => {
      toast({ title: `Deleted ${what}` });
      onClose();
      if (whole) await navigate({ to: "/project/$projectId/prompts", params: { projectId: project.id } });
      else await navigate({ to: ".", search: ((before: object) => ({ ...before, version: undefined, diff: undefined })) as never });
      await queries.invalidateQueries({ queryKey: promptsKey(project) });
    },
    onError: (error) => {
      onClose();
      toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message });
    },
  });
  return (
    <AlertDialog
      open onOpenChange={onClose} title={`Delete ${what}?`} action={whole ? "Delete prompt" : "Delete version"} confirmText={whole ? name : String(version)} busy={remove.isPending} onConfirm={() => remove.mutate()}
      description={whole ? "All of its versions and labels go. Applications that fetch it fail, once what they hold is old. Observations keep its name." : "Its labels go with it. Applications that fetch it by one of them, or by its number, fail, once what they hold is old."}
    />
  );
}
