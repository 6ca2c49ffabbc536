import type { components } from "@/shared/api/schema.d.ts";

type IngestRequests = components["schemas"]["IngestRequests"];

export interface Health {
  well: boolean;
  /** In a sentence, and what to do. */
  verdict: string;
  newest: string | null;
  requests: number;
  refused: number;
  accepted: number;
  rejected: number;
  /** Null while the log does not answer. */
  waiting: number | null;
  lagMs: number | null;
}

/** From here on people notice that what they sent is not there yet. */
const noticedLagMs = 60_000;

export function healthOf({ data, queue }: IngestRequests): Health {
  const refused = data.filter(({ code }) => code !== null);
  const health = {
    newest: data[0]?.at ?? null,
    requests: data.length,
    refused: refused.length,
    accepted: data.reduce((sum, { spansAccepted }) => sum + spansAccepted, 0),
    rejected: data.reduce((sum, { spansRejected }) => sum + spansRejected, 0),
    waiting: queue?.pendingRecords ?? null,
    lagMs: queue === null ? null : queue.lagSeconds * 1000,
  };
  const fault = faultOf(health, queue, refused[0]);
  return { ...health, well: fault === undefined, verdict: fault ?? (data.length === 0 ? "Nothing was sent since the server started." : "What clients send arrives.") };
}

/** The first thing that is wrong, the worst first. */
function faultOf({ lagMs, requests, refused }: Omit<Health, "well" | "verdict">, queue: IngestRequests["queue"], newest: IngestRequests["data"][number] | undefined): string | undefined {
  if (queue === null) return "The log does not answer: what is sent now may be refused. Tell the operator.";
  if (queue.deadLetters !== null && queue.deadLetters > 0) return `${queue.deadLettersMore ? "More than " : ""}${queue.deadLetters} records could not be stored. Tell the operator: they are kept as dead letters.`;
  if (lagMs !== null && lagMs >= noticedLagMs) return "The store is behind: the newest traces are not shown yet.";
  if (newest !== undefined) return `${refused} of ${requests} requests were refused, wholly or in part. The newest: ${newest.reason ?? newest.code}.`;
  return undefined;
}
