import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows } from "@/shared/api/project";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { useToast } from "@/shared/ui/Toast";
import { type Invitation, invitationsQuery, uninvite } from "./api";
import { InviteDialog } from "./InviteDialog";
import type { Team } from "./members";
import { RoleNote, Section } from "./Section";

const keyOf = (invitation: Invitation) => invitation.id;

const columnsOf = (onWithdraw: (invitation: Invitation) => void): ShortColumn<Invitation>[] => [
  { header: "Email", cell: ({ email }) => <span className="break-all">{email}</span> },
  { header: "Role", cell: ({ role }) => <Badge>{role}</Badge> },
  { header: "Invited by", cell: ({ invitedBy }) => <span className="break-words">{invitedBy.name || invitedBy.email}</span> },
  { header: "Expires", cell: ({ expiresAt }) => <RelativeTime value={expiresAt} /> },
  { header: "Actions", headerHidden: true, cell: (invitation) => <Button onClick={() => onWithdraw(invitation)}>Withdraw…<span className="sr-only"> the invitation of {invitation.email}</span></Button> },
];

/** Who was asked to join and has not yet. Admins of the organization see and ask. */
export function Invitations({ team: { organization } }: { team: Team }) {
  const mayInvite = allows(organization.role, "ADMIN");
  const { data, error, refetch } = useQuery({ ...invitationsQuery(organization.id), enabled: mayInvite });
  const [inviting, setInviting] = useState(false);
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null);
  return (
    <Section
      title="Invitations" description="A link brings somebody into the organization, once and within 7 days. No mail is sent: you hand it over."
      actions={mayInvite && <Button variant="primary" icon={UserPlus} onClick={() => setInviting(true)}>Invite</Button>}
    >
      {!mayInvite && <RoleNote>To invite people you need the role ADMIN in the organization {organization.name}. You are {organization.role} there.</RoleNote>}
      {mayInvite && error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact />}
      {mayInvite && error === null && data === undefined && <SkeletonRows rows={2} label="Loading the invitations" />}
      {data?.length === 0 && <p className="text-sm text-text-2">Nobody is invited at the moment.</p>}
      {data !== undefined && data.length > 0 && <ShortTable label="Open invitations" columns={columnsOf(setWithdrawing)} rows={data} keyOf={keyOf} />}
      {inviting && <InviteDialog organization={organization} onClose={() => setInviting(false)} />}
      {withdrawing !== null && <WithdrawDialog organizationId={organization.id} invitation={withdrawing} onClose={() => setWithdrawing(null)} />}
    </Section>
  );
}

function WithdrawDialog({ organizationId, invitation, onClose }: { organizationId: string; invitation: Invitation; onClose: () => void }) {
  const queries = useQueryClient();
  const toast = useToast();
  const withdraw = useMutation({
    mutationFn: () => uninvite(organizationId, invitation.id),
    onSuccess: () => toast({ title: `Withdrew the invitation of ${invitation.email}` }),
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
    onSettled: () => {
      onClose();
      void queries.invalidateQueries({ queryKey: invitationsQuery(organizationId).queryKey });
    },
  });
  return (
    <AlertDialog
      open onOpenChange={onClose} title="Withdraw the invitation?" action="Withdraw" busy={withdraw.isPending} onConfirm={() => withdraw.mutate()}
      description={`The link that ${invitation.email} has stops working. You can invite them again.`}
    />
  );
}
