import { Navigate } from "@tanstack/react-router";
import { useSession } from "@/shared/api/session";

/** The root of the address: setup on a new server, sign-in for strangers, else the last project. */
export function HomeRedirect() {
  const session = useSession();
  if (session.setupNeeded) return <Navigate to="/setup" replace />;
  if (session.user === null) return <Navigate to="/auth/sign-in" replace />;
  const projects = session.organizations.flatMap((organization) => organization.projects);
  const last = localStorage.getItem("sonde.project");
  const project = projects.find((candidate) => candidate.id === last) ?? projects[0];
  if (project === undefined) return <Navigate to="/account/settings" replace />;
  return <Navigate to="/project/$projectId" params={{ projectId: project.id }} replace />;
}
