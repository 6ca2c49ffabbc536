const key = "sonde.trace-list";

interface TraceList {
  projectId: string;
  traceIds: string[];
}

/** Remembers, for this tab, the list from which a trace is opened, so that its page can go to the next one. */
export function rememberTraceList(list: TraceList): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(list));
  } catch {
    // Without storage a trace has no neighbours.
  }
}

/** The traces before and after one in the list it was opened from; null at the ends, and for a trace that was not in it. */
export function neighboursOf(projectId: string, traceId: string): { before: string | null; after: string | null } {
  const list = recall();
  const place = list?.projectId === projectId ? list.traceIds.indexOf(traceId) : -1;
  if (list === null || place < 0) return { before: null, after: null };
  return { before: list.traceIds[place - 1] ?? null, after: list.traceIds[place + 1] ?? null };
}

function recall(): TraceList | null {
  try {
    const list = JSON.parse(sessionStorage.getItem(key) ?? "null") as Partial<TraceList> | null;
    return typeof list?.projectId === "string" && Array.isArray(list.traceIds) ? (list as TraceList) : null;
  } catch {
    return null;
  }
}
