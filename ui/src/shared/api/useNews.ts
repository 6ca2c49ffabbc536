import { useEffect } from "react";
import { listenToNews, type NewsName } from "./news";

const restMs = 1000;

/** Calls when one of these news came, at most once a second and always after the last one. Whoever names "ready" reads what was
 * missed while the page was hidden. Both arguments must stay the same. */
export function useNews(projectId: string, names: readonly NewsName[], onNews: () => void, enabled = true): void {
  useEffect(() => {
    if (!enabled) return;
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
    const stop = listenToNews(projectId, Object.fromEntries(names.map((name) => [name, tell])));
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [projectId, names, onNews, enabled]);
}
