import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useProject } from "@/shared/api/project";
import { sessionQuery } from "@/shared/api/session";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { NumberField } from "@/shared/ui/NumberField";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { changeProject, type ProjectFacts, projectQuery } from "./api";
import { losses, maxDays, minDays } from "./retention";

/** Name and retention. What would erase data is asked about first. */
export function ProjectForm({ facts, readOnly }: { facts: ProjectFacts; readOnly: boolean }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const before = { days: facts.retentionDays ?? null, payloadDays: facts.payloadRetentionDays ?? null };
  const [name, setName] = useState(facts.name);
  const [days, setDays] = useState(before.days);
  const [payloadDays, setPayloadDays] = useState(before.payloadDays);
  const [asking, setAsking] = useState(false);
  const lost = losses(before, { days, payloadDays });
  const changed = name.trim() !== facts.name || days !== before.days || payloadDays !== before.payloadDays;
  const save = useMutation({
    mutationFn: () => changeProject(project, { name: name.trim(), retention: days ?? 0, payloadRetention: payloadDays ?? 0 }),
    onSuccess: async (saved) => {
      queries.setQueryData(projectQuery(project).queryKey, saved);
      toast({ title: "Project saved" });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey }); // its name stands in the sidebar
    },
    onSettled: () => setAsking(false),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!changed || save.isPending) return;
    if (lost === undefined) save.mutate();
    else setAsking(true);
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <fieldset disabled={readOnly} className="grid min-w-0 gap-3 sm:grid-cols-2">
        <legend className="sr-only">Name and retention</legend>
        <TextField label="Name" value={name} onChange={setName} required minLength={3} maxLength={60} className="sm:col-span-2" />
        <NumberField label="Keep traces and scores for" value={days} onChange={setDays} min={minDays} max={maxDays} step={1} unit="days" hint="Empty: as the server is set, for ever unless it says otherwise." />
        <NumberField label="Keep inputs and outputs for" value={payloadDays} onChange={setPayloadDays} min={minDays} max={maxDays} step={1} unit="days" hint="Empty: as long as everything else. The rows stay when their texts go." />
      </fieldset>
      {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      {!readOnly && <div><Button type="submit" variant="primary" disabled={!changed} busy={save.isPending}>Save</Button></div>}
      <AlertDialog
        open={asking} onOpenChange={setAsking} title="Keep data for a shorter time?" action="Save and erase" confirmText={facts.name} busy={save.isPending} onConfirm={() => save.mutate()}
        description={<>Within a day this erases {lost}. Backups and exports keep what they have; there is no other way back.</>}
      />
    </form>
  );
}
