import { useEffect, useEffectEvent, useState } from "react";
import { basePath } from "@/shared/api/client";

/** Counts rows that were stored since `since`, as the server tells of them. It does not listen while the page is hidden. */
export function useNewRows(projectId: string, kind: "rows" | "roots", since: number, enabled: boolean): number {
  const [news, setNews] = useState({ since, count: 0 });
  const count = useEffectEvent((told: number) => setNews((before) => ({ since, count: (before.since === since ? before.count : 0) + told })));
  useEffect(() => {
    if (!enabled) return;
    let source: EventSource | undefined;
    const listen = () => {
      source?.close();
      source = undefined;
      if (document.hidden) return;
      source = new EventSource(`${basePath}/api/public/live?project=${encodeURIComponent(projectId)}`);
      source.addEventListener("row.new", (event) => count(countOf((event as MessageEvent<string>).data, kind)));
    };
    listen();
    document.addEventListener("visibilitychange", listen);
    return () => {
      source?.close();
      document.removeEventListener("visibilitychange", listen);
    };
  }, [projectId, kind, enabled]);
  return news.since === since ? news.count : 0;
}

function countOf(data: string, kind: "rows" | "roots"): number {
  try {
    const count = (JSON.parse(data) as Record<string, unknown>)[kind];
    return typeof count === "number" ? count : 0;
  } catch {
    return 0;
  }
}
