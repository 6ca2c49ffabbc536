import { Outlet, useParams } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { type Api, createApi } from "@/shared/api/client";
import { type Project, ProjectContext } from "@/shared/api/project";
import { type Session, useSession } from "@/shared/api/session";
import { ToSignIn } from "@/shared/ui/Redirect";
import { rememberProject } from "./lastProject";
import { NotFoundPage } from "./PageError";
import { Shell } from "./Shell";

/** Everything below it is about one project that the person may see. */
export function ProjectLayout() {
  const { projectId } = useParams({ from: "/project/$projectId" });
  const session = useSession();
  const project = useMemo(() => findProject(session, projectId, createApi(projectId)), [session, projectId]);
  const known = project !== null;
  useEffect(() => {
    if (known) rememberProject(projectId);
  }, [known, projectId]);
  if (session.user === null) return <ToSignIn />;
  if (project === null) return <Shell session={session} project={undefined}><NotFoundPage /></Shell>;
  return (
    <ProjectContext value={project}>
      <Shell session={session} project={project}>
        <Outlet />
      </Shell>
    </ProjectContext>
  );
}

function findProject(session: Session, projectId: string, api: Api): Project | null {
  for (const { projects, id, name } of session.organizations) {
    const project = projects.find((candidate) => candidate.id === projectId);
    if (project !== undefined) return { ...project, organizationId: id, organizationName: name, api };
  }
  return null;
}
