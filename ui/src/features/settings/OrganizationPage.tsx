import { Link, useParams } from "@tanstack/react-router";
import { Building2, FolderOpen, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { createApi } from "@/shared/api/client";
import { allows } from "@/shared/api/project";
import { type Session, useSession } from "@/shared/api/session";
import { Badge } from "@/shared/ui/Badge";
import { Button, buttonClass } from "@/shared/ui/Button";
import { CopyField } from "@/shared/ui/CopyField";
import { EmptyState } from "@/shared/ui/EmptyState";
import { Id } from "@/shared/ui/Id";
import { PageHeader } from "@/shared/ui/PageHeader";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { Invitations } from "./Invitations";
import { MemberList } from "./MemberList";
import { organizationOf, type Team } from "./members";
import { NewProjectDialog } from "./NewProjectDialog";
import { RoleNote, Section } from "./Section";

type Organization = Session["organizations"][number];
type ProjectOfIt = Organization["projects"][number];

/** An organization: its projects and its people. */
export function OrganizationPage() {
  const { organizationId = "" } = useParams({ strict: false });
  const session = useSession();
  const organization = organizationOf(session, organizationId);
  const [first] = organization?.projects ?? [];
  const api = useMemo(() => createApi(first?.id), [first?.id]);
  if (organization === undefined || session.user === null) return <NoSuchOrganization />;
  const team: Team = { organization, project: undefined, api, userId: session.user.id };
  return (
    <div className="flex flex-col">
      <PageHeader title={organization.name}><Badge>Your role: {organization.role}</Badge></PageHeader>
      <div className="flex max-w-4xl flex-col gap-4 p-4">
        <Projects organization={organization} />
        {/* The server finds an organization by a project of it. */}
        {first !== undefined && <MemberList team={team} />}
        <Invitations team={team} />
        <Section title="For programs" description="By this, the API knows the organization."><CopyField label="Organization id" value={organization.id} /></Section>
      </div>
    </div>
  );
}

const keyOf = (project: ProjectOfIt) => project.id;
const columns: ShortColumn<ProjectOfIt>[] = [
  { header: "Project", cell: ({ id, name }) => <Link to="/project/$projectId" params={{ projectId: id }} className="inline-flex min-h-6 items-center break-words text-accent underline">{name}</Link> },
  { header: "Id", cell: ({ id }) => <Id value={id} label="project id" className="max-w-60" /> },
  { header: "Your role", cell: ({ role }) => <Badge>{role}</Badge> },
  { header: "Actions", headerHidden: true, cell: ({ id, name }) => <Link to="/project/$projectId/settings/{-$page}" params={{ projectId: id }} className={buttonClass()}>Settings<span className="sr-only"> of {name}</span></Link> },
];

function Projects({ organization: { id, name, role, projects } }: { organization: Organization }) {
  const [creating, setCreating] = useState(false);
  const mayCreate = allows(role, "ADMIN");
  const create = <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>Create project</Button>;
  return (
    <Section title="Projects" description="Each has its own data, keys and retention." actions={mayCreate && create}>
      {!mayCreate && <RoleNote>To create projects you need the role ADMIN in {name}. You are {role} there.</RoleNote>}
      {projects.length === 0 && <EmptyState icon={FolderOpen} title="No projects yet" actions={mayCreate && create} className="py-6!">A project takes the data of one application.</EmptyState>}
      {projects.length > 0 && <ShortTable label="Projects" columns={columns} rows={projects} keyOf={keyOf} />}
      {creating && <NewProjectDialog organizationId={id} onClose={() => setCreating(false)} />}
    </Section>
  );
}

function NoSuchOrganization() {
  return (
    <>
      <PageHeader title="Organization" />
      <EmptyState icon={Building2} title="There is no such organization" actions={<Link to="/account/settings" className={buttonClass("primary")}>To your organizations</Link>}>
        The address may be mistyped, or you are not a member of it. One of its owners can invite you.
      </EmptyState>
    </>
  );
}
