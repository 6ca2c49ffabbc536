import { basePath } from "./client";

/** What the server tells of a project; docs/formats/live-events.md has the members. */
export type NewsName = "ready" | "ingest.key_seen" | "ingest.accepted" | "ingest.rejected" | "ingest.unknown_key" | "row.new" | "trace.updated";

/** "error": the connection broke, and is made again unless the server refused it. */
export type Listeners = Partial<Record<NewsName | "error", (data: string) => void>>;

/** Listens to what the server tells of a project, or of one of its traces, until the function it returns is called. A hidden page
 * leaves its connection to others; "ready" comes whenever it listens again, to read what was missed. */
export function listenToNews(projectId: string, listeners: Listeners, traceId?: string): () => void {
  const query = new URLSearchParams({ project: projectId, ...(traceId === undefined ? {} : { traceId }) });
  let source: EventSource | undefined;
  const listen = () => {
    source?.close();
    source = document.hidden ? undefined : new EventSource(`${basePath}/api/public/live?${query}`);
    for (const [name, tell] of Object.entries(listeners)) source?.addEventListener(name, (event) => tell((event as MessageEvent<string>).data));
  };
  listen();
  document.addEventListener("visibilitychange", listen);
  return () => {
    document.removeEventListener("visibilitychange", listen);
    source?.close();
  };
}
