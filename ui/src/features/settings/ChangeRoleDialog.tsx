import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { Role } from "@/shared/api/project";
import { sessionQuery } from "@/shared/api/session";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Select } from "@/shared/ui/Select";
import { useToast } from "@/shared/ui/Toast";
import { membersQuery, projectMembersQuery, setProjectRole, setRole } from "./api";
import { type Member, nameOf, powersOver, roles, rolesUpTo, type Team } from "./members";

const same = "";
const optionsUpTo = (own: Role) => rolesUpTo(own).map(({ value }) => ({ value, label: value }));
const hintOf = (role: Role | typeof same) => roles.find(({ value }) => value === role)?.hint;

/** The roles of one person, as far as the one who looks may change them. */
export function ChangeRoleDialog({ member, team, onClose }: { member: Member; team: Team; onClose: () => void }) {
  const { organization, project, api } = team;
  const queries = useQueryClient();
  const toast = useToast();
  const form = useId();
  const [role, pickRole] = useState(member.role);
  const [projectRole, pickProjectRole] = useState<Role | typeof same>(member.projectRole ?? same);
  const powers = powersOver(member, team);
  const save = useMutation({
    mutationFn: async () => {
      if (role !== member.role) await setRole(api, member.userId, role);
      if (project !== undefined && projectRole !== (member.projectRole ?? same)) await setProjectRole(api, project.id, member.userId, projectRole === same ? null : projectRole);
    },
    onSuccess: () => (toast({ title: `Changed the role of ${nameOf(member)}` }), onClose()),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: membersQuery(organization.id, api).queryKey });
      if (project !== undefined) void queries.invalidateQueries({ queryKey: projectMembersQuery(project.id, api).queryKey });
      if (member.userId === team.userId) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  return (
    <Dialog
      open onOpenChange={onClose} title={`Role of ${nameOf(member)}`} description="It takes effect at once."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending}>Save</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        {powers.inOrganization && <Select label={`In the organization ${organization.name}`} value={role} onChange={pickRole} options={optionsUpTo(organization.role)} hint={hintOf(role)} />}
        {project !== undefined && powers.inProject && (
          <Select
            label={`In the project ${project.name}`} value={projectRole} onChange={pickProjectRole}
            options={[{ value: same, label: "The same as in the organization" }, ...optionsUpTo(project.role)]} hint={hintOf(projectRole) ?? "Follows the role in the organization."}
          />
        )}
        {save.error !== null && <ErrorState error={save.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}
