import { useQuery } from "@tanstack/react-query";
import { UserMinus } from "lucide-react";
import { useState } from "react";
import { allows } from "@/shared/api/project";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { membersQuery, projectMembersQuery } from "./api";
import { ChangeRoleDialog } from "./ChangeRoleDialog";
import { isOwnOwner, type Member, membersOf, nameOf, powersOver, type Team } from "./members";
import { RemoveMemberDialog } from "./RemoveMemberDialog";
import { RoleNote, Section } from "./Section";

const keyOf = (member: Member) => member.userId;

type OnMember = (member: Member) => void;

function columnsOf(team: Team, onChange: OnMember | undefined, onRemove: OnMember): ShortColumn<Member>[] {
  const columns: ShortColumn<Member>[] = [
    { header: "Person", cell: (member) => <Person member={member} isMe={member.userId === team.userId} /> },
    { header: team.project === undefined ? "Role" : "In the organization", cell: ({ role }) => <Badge>{role}</Badge> },
  ];
  if (team.project !== undefined) columns.push({ header: "In this project", cell: ({ projectRole }) => (projectRole === null ? <span className="text-text-3">The same</span> : <Badge tone="accent">{projectRole}</Badge>) });
  if (onChange !== undefined) columns.push({ header: "Actions", headerHidden: true, cell: (member) => <MemberActions member={member} team={team} onChange={onChange} onRemove={onRemove} /> });
  return columns;
}

/** Everybody with their roles. */
export function MemberList({ team }: { team: Team }) {
  const { organization, project, api } = team;
  const everybody = useQuery(membersQuery(organization.id, api));
  const special = useQuery({ ...projectMembersQuery(project?.id ?? "", api), enabled: project !== undefined });
  const [changing, setChanging] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const error = everybody.error ?? special.error;
  const ready = everybody.data !== undefined && (project === undefined || special.data !== undefined);
  const mayManage = allows(organization.role, "ADMIN") || (project !== undefined && allows(project.role, "ADMIN"));
  const retry = () => void Promise.all([everybody.refetch(), project && special.refetch()]);

  return (
    <Section
      title="Members"
      description={project === undefined ? `People in ${organization.name}.` : `People in ${organization.name}. A role in this project counts here instead of the one in the organization.`}
    >
      {!mayManage && <RoleNote>Roles are given by those with the role ADMIN. You are {project?.role ?? organization.role} here.</RoleNote>}
      {error !== null && !ready && <ErrorState error={error} onRetry={retry} compact />}
      {error === null && !ready && <SkeletonRows rows={4} label="Loading the members" />}
      {ready && <ShortTable label="Members" columns={columnsOf(team, mayManage ? setChanging : undefined, setRemoving)} rows={membersOf(everybody.data, special.data ?? [])} keyOf={keyOf} />}
      {changing !== null && <ChangeRoleDialog member={changing} team={team} onClose={() => setChanging(null)} />}
      {removing !== null && <RemoveMemberDialog member={removing} team={team} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function Person({ member, isMe }: { member: Member; isMe: boolean }) {
  return (
    <span className="flex min-w-0 flex-col text-xs">
      <span className="flex items-center gap-2"><span className="break-words">{nameOf(member)}</span>{isMe && <Badge>You</Badge>}</span>
      {member.name !== "" && <span className="font-normal break-all text-text-2">{member.email}</span>}
    </span>
  );
}

function MemberActions({ member, team, onChange, onRemove }: { member: Member; team: Team; onChange: OnMember; onRemove: OnMember }) {
  const { inOrganization, inProject } = powersOver(member, team);
  if (isOwnOwner(member, team)) return <span className="text-text-3">Another owner can change your role</span>;
  if (!inOrganization && !inProject) return <span className="text-text-3">Only {member.role === "OWNER" ? "an owner" : "an admin"} can change this</span>;
  return (
    <span className="inline-flex gap-1">
      <Button onClick={() => onChange(member)}>Change role…<span className="sr-only"> of {nameOf(member)}</span></Button>
      {inOrganization && <IconButton icon={UserMinus} label={`Remove ${nameOf(member)}`} onClick={() => onRemove(member)} />}
    </span>
  );
}
