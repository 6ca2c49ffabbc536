import type { components } from "@/shared/api/schema.d.ts";

export type IngestRequest = components["schemas"]["IngestRequest"];
export type UnknownKey = components["schemas"]["IngestRequests"]["unknownKeys"][number];

/** A request that was answered as one of the project's keys. */
export interface Seen {
  at: string;
  publicKey: string | null;
  sdk: string | null;
}

export interface Trace {
  traceId: string;
  name: string;
}

/** What is known of the way of a first trace. */
export interface Evidence {
  /** The key of the project that was used last, or the newest; undefined also for who may not list keys. */
  key: { publicKey: string; createdAt: string; lastUsedAt: string | null } | undefined;
  /** Only what this key sent counts; null: what any key sent. */
  only: string | null;
  requests: readonly IngestRequest[];
  /** Told when it happened; requests that bring nothing in, such as a check of the key, are only there. */
  seen: Seen | undefined;
  trace: Trace | undefined;
}

export interface Progress {
  /** createdAt is null for who may not list keys. */
  key: { publicKey: string; createdAt: string | null } | null;
  seen: Seen | null;
  /** Null while nothing came; spans is null when nobody remembers how many. */
  accepted: { spans: number | null; requests: number } | null;
  trace: Trace | null;
}

/** How far a first trace has come. A later step implies the ones before, which a restart of the server forgets. */
export function progressOf({ key, only, requests, seen, trace }: Evidence): Progress {
  const mine = requests.filter(({ publicKey }) => only === null || publicKey === only);
  const first = mine.findLast(({ proved }) => proved);
  const taken = mine.filter(({ spansAccepted }) => spansAccepted > 0);
  const spans = taken.reduce((sum, { spansAccepted }) => sum + spansAccepted, 0);
  const used = key?.lastUsedAt == null ? null : { at: key.lastUsedAt, publicKey: key.publicKey, sdk: null };
  const told = seen !== undefined && (only === null || seen.publicKey === only) ? seen : null;
  const known = first !== undefined ? { at: first.at, publicKey: first.publicKey, sdk: sdkOf(first) } : (told ?? used);
  return {
    key: key ?? (known?.publicKey == null ? null : { publicKey: known.publicKey, createdAt: null }),
    seen: known,
    accepted: taken.length > 0 ? { spans, requests: taken.length } : trace === undefined ? null : { spans: null, requests: 0 },
    trace: trace ?? null,
  };
}

export function sdkOf({ sdkName, sdkVersion }: { sdkName?: string | null; sdkVersion?: string | null }): string | null {
  return [sdkName, sdkVersion].filter(Boolean).join(" ") || null;
}
