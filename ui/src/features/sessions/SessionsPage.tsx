import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { ActivityList } from "@/shared/activity/ActivityList";
import { loadSessions, type SessionActivity } from "@/shared/activity/api";
import { useActivity } from "@/shared/activity/useActivity";
import { useProject } from "@/shared/api/project";
import { useMedia } from "@/shared/table/useMedia";
import { card, ExtrasContext, known, shown } from "./columns";
import { useExtras } from "./useExtras";

/** The sessions of a project: conversations and other traces that belong together. */
export function SessionsPage() {
  const { id: projectId } = useProject();
  const navigate = useNavigate();
  const list = useActivity("sessions", loadSessions);
  const extras = useExtras(list, !useMedia("(max-width: 639px)"));
  const open = useCallback(
    ({ id }: SessionActivity) => void navigate({ to: "/project/$projectId/sessions/$sessionId", params: { projectId, sessionId: id } }),
    [navigate, projectId],
  );
  return (
    <ExtrasContext value={extras}>
      <ActivityList title="Sessions" noun="sessions" list={list} known={known} shown={shown} card={card} placeholder="Beginning of a session id, or a filter: user:ada level:ERROR" onOpen={open}>
        A session groups the traces of one conversation. Give your traces a session id, with the SDK or the attribute <code className="font-mono text-xs">session.id</code>, and they are listed here.
      </ActivityList>
    </ExtrasContext>
  );
}
