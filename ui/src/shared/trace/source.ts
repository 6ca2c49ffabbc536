import { fetchRaw } from "@/shared/api/client";

/** Where a trace is read from: the project of somebody who has signed in, or the door for everybody, which has public traces only. */
export interface TraceSource {
  traceId: string;
  /** Whose trace it is. A shared one may not say. */
  projectId: string | undefined;
  /** Read through the door for everybody. */
  shared: boolean;
}

export const ofProject = (projectId: string, traceId: string): TraceSource => ({ projectId, traceId, shared: false });

/** What tells its answers apart from those of others, in keys of queries. */
export const keyOf = ({ traceId, projectId, shared }: TraceSource) => [projectId, traceId, shared] as const;

export function readSkeletonOf(source: TraceSource, signal: AbortSignal): Promise<Response> {
  return read(source, source.shared ? sharedPath(source, "skeleton") : `/api/public/traces/${encodeURIComponent(source.traceId)}/skeleton`, { signal });
}

export function readTextOf(source: TraceSource, observationId: string, part: string, init: RequestInit): Promise<Response> {
  const observation = `observations/${encodeURIComponent(observationId)}/io`;
  const path = source.shared ? sharedPath(source, observation, { part }) : `/api/public/${observation}?${new URLSearchParams({ part, traceId: source.traceId })}`;
  return read(source, path, init);
}

function sharedPath({ traceId, projectId }: TraceSource, rest: string, query: Record<string, string> = {}): string {
  const parameters = new URLSearchParams(projectId === undefined ? query : { ...query, projectId });
  return `/api/public/shared-traces/${encodeURIComponent(traceId)}/${rest}${parameters.size === 0 ? "" : `?${parameters}`}`;
}

const read = ({ shared, projectId }: TraceSource, path: string, init: RequestInit) => fetchRaw(shared ? undefined : projectId, path, init);
