import { Outlet } from "@tanstack/react-router";
import { useSession } from "@/shared/api/session";
import { ToSignIn } from "@/shared/ui/Redirect";
import { lastProject } from "./lastProject";
import { Shell } from "./Shell";

/** Pages about the person that is signed in; the sidebar leads back to the last project. */
export function PersonLayout() {
  const session = useSession();
  if (session.user === null) return <ToSignIn />;
  return (
    <Shell session={session} project={lastProject(session)}>
      <Outlet />
    </Shell>
  );
}
