import { useEffect } from "react";
import { basePath } from "./client";

/** What the server tells of a project; docs/formats/live-events.md has the members. */
export type NewsName = "ready" | "ingest.key_seen" | "ingest.accepted" | "ingest.rejected" | "row.new" | "trace.updated";

const restMs = 1000;

/** Calls when one of these news came, at most once a second and always after the last one. It does not listen while the page is
 * hidden; "ready" comes when it listens again, so whoever names it reads what was missed. Both arguments must stay the same. */
export function useNews(projectId: string, names: readonly NewsName[], onNews: () => void, enabled = true): void {
  useEffect(() => {
    if (!enabled) return;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = false;
    const rest = () => {
      timer = undefined;
      if (asked) tell();
    };
    const tell = () => {
      asked = timer !== undefined;
      if (asked) return;
      timer = setTimeout(rest, restMs);
      onNews();
    };
    const listen = () => {
      source?.close(); // a hidden tab leaves its connection to the others
      source = document.hidden ? undefined : new EventSource(`${basePath}/api/public/live?project=${encodeURIComponent(projectId)}`);
      for (const name of names) source?.addEventListener(name, tell);
    };
    listen();
    document.addEventListener("visibilitychange", listen);
    return () => {
      document.removeEventListener("visibilitychange", listen);
      source?.close();
      clearTimeout(timer);
    };
  }, [projectId, names, onNews, enabled]);
}
