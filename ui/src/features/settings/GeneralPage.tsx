import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { allows, useProject } from "@/shared/api/project";
import { basePath } from "@/shared/api/client";
import { CopyField } from "@/shared/ui/CopyField";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Skeleton } from "@/shared/ui/Skeleton";
import { projectQuery } from "./api";
import { DefaultViews } from "./DefaultViews";
import { DeleteProject } from "./DeleteProject";
import { ProjectForm } from "./ProjectForm";
import { RoleNote, Section } from "./Section";

/** What a project is called, how long it keeps data, what others call it by, and its end. */
export function GeneralPage() {
  const project = useProject();
  const { data, error, refetch } = useQuery(projectQuery(project));
  const mayChange = allows(project.role, "ADMIN");
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <Section title="Project" description={<>It belongs to the organization <Link to="/organization/$organizationId" params={{ organizationId: project.organizationId }} className="text-accent underline">{project.organizationName}</Link>.</>}>
        {!mayChange && <RoleNote>To change the project you need the role ADMIN. You are {project.role} here; an admin can give you the role under Members.</RoleNote>}
        {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact />}
        {error === null && data === undefined && <div role="status" aria-label="Loading the project" className="flex flex-col gap-3"><Skeleton className="w-60" /><Skeleton className="w-40" /></div>}
        {data !== undefined && <ProjectForm facts={data} readOnly={!mayChange} />}
      </Section>
      <DefaultViews />
      <Section title="For programs" description="By these, the API and SDKs know the project.">
        <div className="grid gap-3 sm:grid-cols-2">
          <CopyField label="Project id" value={project.id} />
          <CopyField label="Organization id" value={project.organizationId} />
          <CopyField label="Address of the server" value={location.origin + basePath} className="sm:col-span-2" />
        </div>
      </Section>
      <DeleteProject />
    </div>
  );
}
