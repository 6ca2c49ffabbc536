import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { Checkbox } from "@/shared/ui/Checkbox";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SecretField } from "@/shared/ui/SecretField";
import { Select } from "@/shared/ui/Select";
import { TextArea, TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { connectionsQuery, putConnection } from "./api";
import { adapters, type ConnectionForm, connectionOf, problemsOf } from "./form";

/** Connects a provider, or replaces a connection whole: its key is never shown, so it is given again. */
export function ConnectionDialog({ start, onClose }: { start: ConnectionForm; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const id = useId();
  const [form, setForm] = useState(start);
  const [tried, setTried] = useState(false);
  const replaces = start.provider !== "";
  const wrong = tried ? problemsOf(form) : {};
  const save = useMutation({
    mutationFn: () => putConnection(project, connectionOf(form)),
    onSuccess: async () => {
      toast({ title: `${form.provider.trim()} is saved`, detail: "Test it to see whether its models answer." });
      onClose();
      await Promise.all([queries.invalidateQueries({ queryKey: connectionsQuery(project).queryKey }), queries.invalidateQueries({ queryKey: ["playground-models"] })]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problemsOf(form)).length === 0 && !save.isPending) save.mutate();
  };
  const set = <Key extends keyof ConnectionForm>(key: Key) => (value: ConnectionForm[Key]) => setForm({ ...form, [key]: value });
  const base = adapters.find(({ value }) => value === form.adapter)?.base;
  return (
    <Dialog
      open onOpenChange={onClose} keep title={replaces ? `Replace ${start.provider}` : "Connect a provider"} description={replaces ? "All of it is replaced. Key and headers are kept sealed and never shown, so give them again." : "The key is kept sealed and never shown again."}
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={id} variant="primary" busy={save.isPending}>Save connection</Button></>}
    >
      <form id={id} className="flex flex-col gap-4" onSubmit={submit} noValidate>
        <Select label="API" value={form.adapter} onChange={set("adapter")} options={adapters} />
        <TextField label="Name" value={form.provider} onChange={set("provider")} error={wrong.provider} disabled={replaces} hint="What this project calls it." placeholder="openai" autoComplete="off" />
        <SecretField label="Key" value={form.secretKey} onChange={set("secretKey")} error={wrong.secretKey} autoComplete="off" />
        <TextField label="Address" type="url" value={form.baseURL} onChange={set("baseURL")} error={wrong.baseURL} placeholder={base} hint="Only for a gateway or server of your own. Addresses in private networks must be allowed by the operator." autoComplete="off" />
        <TextArea label="Models" value={form.models} onChange={set("models")} error={wrong.models} rows={2} hint="Further models to offer, with commas or lines between them." placeholder="gpt-4.1-nano" />
        <Checkbox checked={form.withDefaultModels} onChange={set("withDefaultModels")}>Offer the usual models of this provider, too</Checkbox>
        <TextArea label="Further headers" value={form.headers} onChange={set("headers")} error={wrong.headers} rows={2} hint="One per line, as Name: value. Kept sealed like the key." placeholder="X-Team: search" />
        {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}
