import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { createTarget, targetsQuery } from "@/shared/alerts/api";
import { useProject } from "@/shared/api/project";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { CopyField } from "@/shared/ui/CopyField";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { RadioGroup } from "@/shared/ui/Radio";
import { TextField } from "@/shared/ui/TextField";

type Kind = "webhook" | "slack" | "email";

const kinds: { value: Kind; label: string; hint: string }[] = [
  { value: "webhook", label: "Webhook", hint: "A signed JSON message by POST." },
  { value: "slack", label: "Slack", hint: "An incoming webhook of Slack, or of what speaks like it." },
  { value: "email", label: "Email", hint: "Needs an SMTP server in the server’s settings." },
];

/** Adds a target, then shows the key of a webhook: the only time that anybody sees it. */
export function NewTargetDialog({ onClose }: { onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const form = useId();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("webhook");
  const [address, setAddress] = useState("");
  const create = useMutation({
    mutationFn: () => createTarget(project, { name: name.trim(), kind, address: address.trim() }),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: targetsQuery(project).queryKey });
      if (made.signingKey === null) onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!create.isPending) create.mutate();
  };
  const key = create.data?.signingKey ?? null;
  if (key !== null) {
    return (
      <Dialog open onOpenChange={onClose} keep title={`Key of ${create.data!.name}`} footer={<Button variant="primary" onClick={onClose}>I have copied it</Button>}>
        <div className="flex flex-col gap-4">
          <Banner tone="warn">Messages are signed with this key. It is shown only now.</Banner>
          <CopyField label="Signing key" value={key} />
          <p className="text-sm text-text-2">The header Sonde-Signature has the time t and the HMAC-SHA256 v1 of “t.body”. Refuse messages that are older than five minutes.</p>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog open onOpenChange={onClose} title="New target" description="Who is told when an alert changes." footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={create.isPending}>Add target</Button></>}>
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} required maxLength={200} placeholder="Operations" />
        <RadioGroup label="Kind" value={kind} onChange={setKind} options={kinds} />
        <TextField label={kind === "email" ? "Email address" : "Address"} type={kind === "email" ? "email" : "url"} value={address} onChange={setAddress} required autoComplete="off" placeholder={kind === "email" ? "ops@example.com" : "https://hooks.example.com/…"} />
        {create.error !== null && <ErrorState compact error={create.error} className="p-0!" />}
      </form>
    </Dialog>
  );
}
