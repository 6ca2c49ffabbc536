import { Navigate, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Api, createApi } from "@/shared/api/client";
import { type Project, ProjectContext } from "@/shared/api/project";
import { type Session, useSession } from "@/shared/api/session";
import { NotFoundPage } from "./PageError";

/** Everything below it is about one project that the person may see. */
export function ProjectLayout() {
  const { projectId } = useParams({ from: "/project/$projectId" });
  const session = useSession();
  const here = useLocation();
  const project = useMemo(() => findProject(session, projectId, createApi(projectId)), [session, projectId]);
  if (session.user === null) return <Navigate to="/auth/sign-in" search={{ next: here.href }} replace />;
  if (project === null) return <NotFoundPage />;
  return (
    <ProjectContext value={project}>
      <Outlet />
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
