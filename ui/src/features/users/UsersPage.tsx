import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { ActivityList } from "@/shared/activity/ActivityList";
import { loadUsers, type UserActivity } from "@/shared/activity/api";
import { useActivity } from "@/shared/activity/useActivity";
import { useProject } from "@/shared/api/project";
import { card, known, shown } from "./columns";

/** The people that an application served, by the ids it gave them. */
export function UsersPage() {
  const { id: projectId } = useProject();
  const navigate = useNavigate();
  const list = useActivity("users", loadUsers);
  const open = useCallback(
    ({ id }: UserActivity) => void navigate({ to: "/project/$projectId/users/$userId", params: { projectId, userId: id } }),
    [navigate, projectId],
  );
  return (
    <ActivityList title="Users" noun="users" list={list} known={known} shown={shown} card={card} placeholder="Beginning of a user id, or a filter: env:production level:ERROR" onOpen={open}>
      Give your traces a user id, with the SDK or the attribute <code className="font-mono text-xs">user.id</code>, and the people you serve are listed here.
    </ActivityList>
  );
}
