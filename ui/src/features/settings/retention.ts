/** For how many days data is kept; null leaves it to the server. */
export interface Retention {
  days: number | null;
  /** Of inputs and outputs, when they go earlier than the rest. */
  payloadDays: number | null;
}

export const minDays = 3;
export const maxDays = 36_500;

/** What a change erases, in words; undefined when it erases nothing. What the server is set to, a page does not know: it counts as for ever. */
export function losses(before: Retention, after: Retention): string | undefined {
  const lost: string[] = [];
  if (shorter(before.days, after.days)) lost.push(`traces and scores that are older than ${after.days} days`);
  if (shorter(before.payloadDays ?? before.days, after.payloadDays) && !(after.days !== null && after.days <= after.payloadDays!)) {
    lost.push(`inputs and outputs that are older than ${after.payloadDays} days`);
  }
  return lost.length === 0 ? undefined : lost.join(", and ");
}

function shorter(before: number | null, after: number | null): boolean {
  return after !== null && after < (before ?? Number.POSITIVE_INFINITY);
}
