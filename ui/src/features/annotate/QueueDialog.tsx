import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { describeError } from "@/shared/api/describeError";
import { peopleQuery } from "@/shared/api/people";
import { useProject } from "@/shared/api/project";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { MultiSelect } from "@/shared/ui/MultiSelect";
import { TextArea, TextField } from "@/shared/ui/TextField";
import { allConfigsQuery, assign, type Queue, saveQueue } from "./api";

interface QueueDialogProps {
  /** The queue that is changed; none: a new one. */
  before?: Queue;
  assigned: readonly string[];
  onClose: () => void;
  onSaved: (queue: Queue) => void;
}

/** Makes or changes a queue: what it is called, which scores it asks for, and who shall review it. */
export function QueueDialog({ before, assigned, onClose, onSaved }: QueueDialogProps) {
  const project = useProject();
  const queries = useQueryClient();
  const form = useId();
  const [draft, setDraft] = useState({ name: before?.name ?? "", description: before?.description ?? "", configs: before?.scoreConfigIds ?? [], people: [...assigned] });
  const [tried, setTried] = useState(false);
  const { data: configs = [], isSuccess } = useQuery(allConfigsQuery(project));
  const { data: people } = useQuery(peopleQuery(project));
  const problems = { name: draft.name.trim() === "" ? "Give the queue a name." : undefined, configs: draft.configs.length === 0 ? "Choose at least one score config." : undefined };
  const save = useMutation({
    mutationFn: async () => {
      const queue = await saveQueue(project, before?.id, { name: draft.name.trim(), description: draft.description.trim() || null, scoreConfigIds: draft.configs });
      await assign(project, queue.id, assigned, draft.people);
      return queue;
    },
    onSuccess: async (queue) => {
      await Promise.all([queries.invalidateQueries({ queryKey: ["annotation-queues", project.id] }), queries.invalidateQueries({ queryKey: ["annotation-queue", project.id] })]);
      onSaved(queue);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    flushSync(() => setTried(true)); // so that what is wrong is marked, and can be gone to
    event.currentTarget.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    if (problems.name === undefined && problems.configs === undefined && !save.isPending) save.mutate();
  };
  const set = (change: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...change }));
  const usable = configs.filter(({ id, isArchived }) => !isArchived || draft.configs.includes(id));
  return (
    <Dialog
      open onOpenChange={onClose} title={before === undefined ? "New annotation queue" : `Edit ${before.name}`} description="People review its items one by one and give each the scores that you choose here."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending}>Save</Button></>}
    >
      <form id={form} noValidate className="flex flex-col gap-3" onSubmit={submit}>
        {save.error !== null && <Banner tone="danger">{describeError(save.error).message}</Banner>}
        <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} required error={tried ? problems.name : undefined} />
        <TextArea label="Description" rows={2} value={draft.description} onChange={(description) => set({ description })} hint="What reviewers should know before they begin." />
        <MultiSelect label="Score configs" values={draft.configs} onChange={(chosen) => set({ configs: chosen })} placeholder="Choose…" options={usable.map(({ id, name, isArchived }) => ({ value: id, label: isArchived ? `${name} (archived)` : name }))} error={tried ? problems.configs : undefined} />
        {isSuccess && configs.length === 0 && <Banner tone="warn">This project has no score configs yet. <Link to="/project/$projectId/settings/{-$page}" params={{ projectId: project.id, page: "score-configs" }} className="underline">Make one first</Link>.</Banner>}
        <MultiSelect label="Assigned to" values={draft.people} onChange={(chosen) => set({ people: chosen })} placeholder="Everybody" options={[...(people ?? [])].map(([value, label]) => ({ value, label }))} hint="Says whose work it is. Others may review it, too." />
      </form>
    </Dialog>
  );
}
