import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { Role } from "@/shared/api/project";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { CopyField } from "@/shared/ui/CopyField";
import { Dialog } from "@/shared/ui/Dialog";
import { RadioGroup } from "@/shared/ui/Radio";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { TextField } from "@/shared/ui/TextField";
import { invitationsQuery, invite } from "./api";
import { FormError, refusalOf } from "./FormError";
import { rolesUpTo, type Team } from "./members";

/** Makes an invitation, then shows its link: the only time that anybody sees it. */
export function InviteDialog({ organization, onClose }: { organization: Team["organization"]; onClose: () => void }) {
  const queries = useQueryClient();
  const form = useId();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("MEMBER");
  const create = useMutation({
    mutationFn: () => invite(organization.id, email.trim(), role),
    onSuccess: () => void queries.invalidateQueries({ queryKey: invitationsQuery(organization.id).queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!create.isPending) create.mutate();
  };
  if (create.data !== undefined) {
    return (
      <Dialog open onOpenChange={onClose} keep title={`Invitation for ${create.data.email}`} footer={<Button variant="primary" onClick={onClose}>I have copied it</Button>}>
        <div className="flex flex-col gap-4">
          <Banner tone="warn">No mail is sent, and the link is shown only now. Copy it and hand it over yourself.</Banner>
          <CopyField label="Link" value={create.data.link} />
          <p className="text-sm text-text-2">It works once, until <AbsoluteTime value={create.data.expiresAt} />.</p>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      open onOpenChange={onClose} title={`Invite to ${organization.name}`} description="Into the organization, with the same role in all of its projects. Another role in one project can be given once they have joined."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={create.isPending}>Make the link</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Email" type="email" value={email} onChange={setEmail} required autoComplete="off" error={refusalOf(create.error)} placeholder="bob@example.com" />
        <RadioGroup label="Role" value={role} onChange={setRole} options={rolesUpTo(organization.role).map(({ value, hint }) => ({ value, label: value, hint }))} />
        <FormError error={create.error} />
      </form>
    </Dialog>
  );
}
