import { useEffect, useEffectEvent, useState } from "react";
import { listenToNews } from "@/shared/api/news";

/** Counts rows that were stored since `since`, as the server tells of them. */
export function useNewRows(projectId: string, kind: "rows" | "roots", since: number, enabled: boolean): number {
  const [news, setNews] = useState({ since, count: 0 });
  const count = useEffectEvent((told: number) => setNews((before) => ({ since, count: (before.since === since ? before.count : 0) + told })));
  useEffect(() => (enabled ? listenToNews(projectId, { "row.new": (data) => count(countOf(data, kind)) }) : undefined), [projectId, kind, enabled]);
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
