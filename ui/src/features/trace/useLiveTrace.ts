import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { listenToNews } from "@/shared/api/news";
import { useNow } from "@/shared/lib/useNow";
import { newRows } from "@/shared/trace/folds";
import { type LoadedTrace, traceQuery } from "@/shared/trace/loadTrace";
import type { TraceSource } from "@/shared/trace/source";

const stalledMs = 5 * 60_000;
const forgottenMs = 24 * 3600_000;
const restMs = 1000;

export interface LiveTrace {
  /** News of this trace are on their way to us. */
  live: boolean;
  /** Rows without an end have heard nothing for long. */
  stalled: boolean;
}

/** Keeps a trace that has rows without an end up to date: the server tells when something of it was stored. */
export function useLiveTrace({ projectId, traceId, shared }: TraceSource, { rows, complete }: LoadedTrace): LiveTrace {
  const queries = useQueryClient();
  const now = useNow();
  const [lastNews, setLastNews] = useState(0);
  const quiet = now - Math.max(lastNews, Date.parse(rows.head.endTime));
  const live = !shared && complete && rows.head.unfinished > 0 && quiet < forgottenMs;

  useEffect(() => {
    if (!live || projectId === undefined) return;
    const { queryKey } = traceQuery({ projectId, traceId, shared: false });
    const refresh = eagerly(() => queries.invalidateQueries({ queryKey }));
    const onUpdate = () => {
      setLastNews(Date.now());
      refresh.soon();
    };
    const stop = listenToNews(projectId, { ready: refresh.soon, "trace.updated": onUpdate }, traceId);
    return () => {
      stop();
      refresh.stop();
    };
  }, [live, projectId, traceId, queries]);

  return { live, stalled: quiet > stalledMs };
}

/** Runs something whenever it is asked for, but one after the other and with rests that grow with the time it takes. */
function eagerly(run: () => Promise<void>): { soon: () => void; stop: () => void } {
  let asked = false;
  let running = false;
  const work = async () => {
    running = true;
    while (asked) {
      asked = false;
      const before = performance.now();
      await run().catch(() => undefined); // the query has the error
      await new Promise((resolve) => setTimeout(resolve, restMs + 2 * (performance.now() - before)));
    }
    running = false;
  };
  return {
    soon: () => {
      asked = true;
      if (!running) void work();
    },
    stop: () => {
      asked = false;
    },
  };
}

/** How many rows came since they were last looked at, and where the first of them is. */
export function useNewRows({ rows, complete }: LoadedTrace): { count: number; first: number; seen: () => void } {
  const [state, setState] = useState({ rows, complete, count: 0, firstId: "" });
  if (state.rows !== rows || state.complete !== complete) {
    const added = state.complete && complete && state.rows !== rows ? newRows(state.rows, rows) : { count: 0, first: -1 };
    const firstId = state.firstId === "" && added.first >= 0 ? rows.ids.at(added.first) : state.firstId;
    setState({ rows, complete, count: state.count + added.count, firstId });
  }
  return { count: state.count, first: rows.find(state.firstId), seen: () => setState((before) => ({ ...before, count: 0, firstId: "" })) };
}
