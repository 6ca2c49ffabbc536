import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "@/shared/api/describeError";
import { sessionQuery } from "@/shared/api/session";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { useToast } from "@/shared/ui/Toast";
import { membersQuery, removeMember } from "./api";
import { type Member, nameOf, type Team } from "./members";

export function RemoveMemberDialog({ member, team, onClose }: { member: Member; team: Team; onClose: () => void }) {
  const { organization, api } = team;
  const queries = useQueryClient();
  const toast = useToast();
  const isMe = member.userId === team.userId;
  const remove = useMutation({
    mutationFn: () => removeMember(api, member.userId),
    onSuccess: async () => {
      toast({ title: `${nameOf(member)} left ${organization.name}` });
      onClose();
      await queries.invalidateQueries({ queryKey: isMe ? sessionQuery.queryKey : membersQuery(organization.id, api).queryKey });
    },
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  return (
    <AlertDialog
      open onOpenChange={onClose} title={isMe ? `Leave ${organization.name}?` : `Remove ${nameOf(member)}?`} action={isMe ? "Leave" : "Remove"} confirmText={member.email} busy={remove.isPending} onConfirm={() => remove.mutate()}
      description={`${isMe ? "You lose" : "They lose"} every role in ${organization.name} and all of its projects, at once. The account and what it wrote stay.`}
    />
  );
}
