import { Navigate, Outlet, useLocation } from "@tanstack/react-router";
import { useSession } from "@/shared/api/session";
import { lastProject } from "./lastProject";
import { Shell } from "./Shell";

/** Pages about the person that is signed in; the sidebar leads back to the last project. */
export function PersonLayout() {
  const session = useSession();
  const here = useLocation();
  if (session.user === null) return <Navigate to="/auth/sign-in" search={{ next: here.href }} replace />;
  return (
    <Shell session={session} project={lastProject(session)}>
      <Outlet />
    </Shell>
  );
}
