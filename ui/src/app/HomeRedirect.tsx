import { Navigate } from "@tanstack/react-router";
import { useSession } from "@/shared/api/session";
import { lastProject } from "./lastProject";

/** The root of the address: setup on a new server, sign-in for strangers, else the last project. */
export function HomeRedirect() {
  const session = useSession();
  if (session.setupNeeded) return <Navigate to="/setup" replace />;
  if (session.user === null) return <Navigate to="/auth/sign-in" replace />;
  const project = lastProject(session);
  if (project === undefined) return <Navigate to="/account/settings" replace />;
  return <Navigate to="/project/$projectId" params={{ projectId: project.id }} replace />;
}
