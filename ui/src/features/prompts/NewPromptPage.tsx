import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { createPrompt, promptsKey } from "@/shared/prompt/api";
import { emptyContent } from "@/shared/prompt/content";
import { Button } from "@/shared/ui/Button";
import { Checkbox } from "@/shared/ui/Checkbox";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { TextField } from "@/shared/ui/TextField";
import { type Draft, listOf, nameProblem, problemOf } from "./draft";
import { production } from "./LabelBadges";
import { PromptEditor } from "./PromptEditor";

const types = [{ value: "text", label: "Text" }, { value: "chat", label: "Chat" }] as const;

/** Makes a prompt with its first version. */
export function NewPromptPage() {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [type, setType] = useState<"text" | "chat">("text");
  const [drafts, setDrafts] = useState<Record<"text" | "chat", Draft>>({ text: { content: emptyContent("text"), config: "{}" }, chat: { content: emptyContent("chat"), config: "{}" } });
  const [tags, setTags] = useState("");
  const [live, setLive] = useState(true);
  const [tried, setTried] = useState(false);
  const draft = drafts[type];
  const wrongName = nameProblem(name);
  const create = useMutation({
    mutationFn: () => createPrompt(project, { name: name.trim(), type, prompt: draft.content, config: JSON.parse(draft.config), labels: live ? [production] : [], tags: listOf(tags) }),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: promptsKey(project) });
      await navigate({ to: "/project/$projectId/prompts/$", params: { projectId: project.id, _splat: made.name } });
    },
  });
  const save = () => {
    setTried(true);
    if (wrongName === undefined && problemOf(draft) === undefined && !create.isPending) create.mutate();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  useShortcuts("Prompt", [{ keys: "mod+s", label: "Create the prompt", run: save }]);
  if (!allows(project.role, "MEMBER")) return <><PageHeader title="New prompt" /><EmptyState title="Prompts are made by members">You are {project.role} here. An admin can give you the role MEMBER.</EmptyState></>;
  return (
    <form className="flex min-h-full flex-col" onSubmit={submit} noValidate>
      <PageHeader title="New prompt" documentTitle={`New prompt · ${project.name}`} actions={<Button type="submit" variant="primary" busy={create.isPending}>Create prompt</Button>} />
      <div className="flex max-w-4xl flex-col gap-4 p-4">
        <div className="flex flex-wrap items-start gap-4">
          <TextField label="Name" className="min-w-60 flex-1" value={name} onChange={setName} error={tried ? wrongName : undefined} hint="Slashes make folders." placeholder="support/answer" autoComplete="off" />
          <div className="flex flex-col gap-1"><span aria-hidden className="text-xs font-medium text-text-2">Type</span><SegmentedControl label="Type" value={type} onChange={setType} segments={types} /></div>
        </div>
        <PromptEditor key={type} draft={draft} onChange={(next) => setDrafts({ ...drafts, [type]: next })} readOnly={false} />
        {tried && problemOf(draft) !== undefined && <p role="alert" className="text-xs text-danger">{problemOf(draft)}</p>}
        <TextField label="Tags" value={tags} onChange={setTags} hint="With commas between them." placeholder="support, billing" />
        <Checkbox checked={live} onChange={setLive} hint="The version that applications get when they ask for no other.">Give it the label {production}</Checkbox>
        {create.error !== null && <ErrorState error={create.error} compact className="p-0!" />}
      </div>
    </form>
  );
}
