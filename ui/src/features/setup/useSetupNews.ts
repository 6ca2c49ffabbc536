import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { basePath } from "@/shared/api/client";
import { type Seen, sdkOf } from "./progress";

const tellsAll = ["ready", "ingest.key_seen", "ingest.accepted", "ingest.rejected", "ingest.unknown_key", "row.new"];

interface News {
  /** The server tells what happens; false: one has to ask. */
  live: boolean;
  seen: Seen | undefined;
}

/** Reads again what the page shows whenever the server tells of something. A hidden page does not listen. */
export function useSetupNews(projectId: string): News {
  const queries = useQueryClient();
  const [news, setNews] = useState<News>({ live: false, seen: undefined });
  useEffect(() => {
    let source: EventSource | undefined;
    const refresh = () => void queries.invalidateQueries({ queryKey: ["setup", projectId] });
    const setLive = (live: boolean) => setNews((before) => (before.live === live ? before : { ...before, live }));
    const onSeen = (event: Event) => {
      const seen = readSeen((event as MessageEvent<string>).data);
      if (seen !== undefined) setNews((before) => ({ ...before, seen }));
    };
    const listen = () => {
      source?.close();
      source = undefined;
      if (document.hidden) return;
      source = new EventSource(`${basePath}/api/public/live?project=${encodeURIComponent(projectId)}`);
      for (const name of tellsAll) source.addEventListener(name, refresh);
      source.addEventListener("ready", () => setLive(true));
      source.addEventListener("ingest.key_seen", onSeen);
      source.addEventListener("error", () => setLive(false)); // it tries again by itself, or was refused for good
    };
    listen();
    document.addEventListener("visibilitychange", listen);
    return () => {
      source?.close();
      document.removeEventListener("visibilitychange", listen);
    };
  }, [projectId, queries]);
  return news;
}

function readSeen(data: string): Seen | undefined {
  try {
    const told = JSON.parse(data) as { at: string; publicKey?: string; sdkName?: string; sdkVersion?: string };
    return { at: told.at, publicKey: told.publicKey ?? null, sdk: sdkOf(told) };
  } catch {
    return undefined;
  }
}
