import { useProject } from "@/shared/api/project";
import { useSession } from "@/shared/api/session";
import { Invitations } from "./Invitations";
import { MemberList } from "./MemberList";
import { organizationOf, type Team } from "./members";

/** Who may do what in a project: members of its organization, some with another role here. */
export function MembersPage() {
  const project = useProject();
  const session = useSession();
  const organization = organizationOf(session, project.organizationId);
  if (organization === undefined || session.user === null) return null; // the layout leads elsewhere
  const team: Team = { organization, project, api: project.api, userId: session.user.id };
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <MemberList team={team} />
      <Invitations team={team} />
    </div>
  );
}
