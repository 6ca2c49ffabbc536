import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { DiffView } from "@/shared/code/DiffView";
import { useProject } from "@/shared/api/project";
import { promptQuery, promptsKey } from "@/shared/prompt/api";
import { contentOf, printContent } from "@/shared/prompt/content";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { moveLabel, type Prompt, type PromptVersion } from "./api";
import { labelsProblem } from "./draft";
import { latest, production } from "./LabelBadges";

const other = "\u0000other";

interface LabelDialogProps {
  prompt: Prompt;
  versions: readonly PromptVersion[];
  onClose: () => void;
}

/** Moves a label to a version, and shows what that changes for those who read by it. */
export function LabelDialog({ prompt, versions, onClose }: LabelDialogProps) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const form = useId();
  const known = [...new Set([production, ...versions.flatMap(({ labels }) => labels)])].filter((label) => label !== latest && !prompt.labels.includes(label));
  const [chosen, setChosen] = useState(known[0] ?? other);
  const [typed, setTyped] = useState("");
  const label = chosen === other ? typed.trim() : chosen;
  const holder = versions.find(({ labels }) => labels.includes(label))?.version;
  const wrong = chosen === other && label !== "" ? labelsProblem([label]) : undefined;
  const move = useMutation({
    mutationFn: () => moveLabel(project, prompt.name, prompt.version, label),
    onSuccess: async () => {
      toast({ title: `${label} is on version ${prompt.version}` });
      onClose();
      await queries.invalidateQueries({ queryKey: promptsKey(project) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (label !== "" && wrong === undefined && !move.isPending) move.mutate();
  };
  const moves = holder === undefined ? `No version has this label yet.` : `It leaves version ${holder}.`;
  return (
    <Dialog
      open onOpenChange={onClose} size="wide" title={`Put a label on version ${prompt.version}`} description="Applications that read the prompt by this label get this version within a minute."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" disabled={label === ""} busy={move.isPending}>{holder === undefined ? "Add label" : "Move label"}</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Select label="Label" value={chosen} onChange={setChosen} options={[...known.map((each) => ({ value: each, label: each })), { value: other, label: "Another label…" }]} hint={label === "" ? undefined : moves} />
          {chosen === other && <TextField label="Name of the label" value={typed} onChange={setTyped} error={wrong} placeholder="staging" autoComplete="off" />}
        </div>
        {holder !== undefined && <Change name={prompt.name} from={holder} prompt={prompt} />}
        {move.error !== null && <ErrorState error={move.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}

function Change({ name, from, prompt }: { name: string; from: number; prompt: Prompt }) {
  const project = useProject();
  const { data, error, refetch } = useQuery(promptQuery(project, name, from));
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} compact />;
  if (data === undefined) return null;
  return <DiffView before={printContent(contentOf(data.prompt))} after={printContent(contentOf(prompt.prompt))} beforeLabel={`Version ${from}, which has it`} afterLabel={`Version ${prompt.version}`} language="prompt" />;
}
