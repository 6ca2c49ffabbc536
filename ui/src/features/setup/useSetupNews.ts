import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { listenToNews } from "@/shared/api/news";
import { type Seen, sdkOf } from "./progress";

interface News {
  /** The server tells what happens; false: one has to ask. */
  live: boolean;
  seen: Seen | undefined;
}

/** Reads again what the page shows whenever the server tells of something. */
export function useSetupNews(projectId: string): News {
  const queries = useQueryClient();
  const [news, setNews] = useState<News>({ live: false, seen: undefined });
  useEffect(() => {
    const refresh = () => void queries.invalidateQueries({ queryKey: ["setup", projectId] });
    const setLive = (live: boolean) => setNews((before) => (before.live === live ? before : { ...before, live }));
    const onSeen = (data: string) => {
      const seen = readSeen(data);
      if (seen !== undefined) setNews((before) => ({ ...before, seen }));
      refresh();
    };
    const onReady = () => {
      setLive(true);
      refresh();
    };
    return listenToNews(projectId, {
      ready: onReady, error: () => setLive(false), "ingest.key_seen": onSeen,
      "ingest.accepted": refresh, "ingest.rejected": refresh, "ingest.unknown_key": refresh, "row.new": refresh,
    });
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
