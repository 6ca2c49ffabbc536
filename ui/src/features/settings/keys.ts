import type { Scope } from "./api";

/** What a key may do, the most common first. */
export const scopes: readonly { value: Scope; label: string; hint: string }[] = [
  { value: "all", label: "Everything", hint: "Reads and writes all data of the project." },
  { value: "ingest", label: "Send only", hint: "Sends traces, logs, media and scores. Stolen, it shows nobody your data." },
  { value: "read", label: "Read only", hint: "Reads everything, changes nothing." },
  { value: "scores", label: "Scores only", hint: "Sends scores, such as the thumbs of your users." },
];

export const lifetimes = [
  { value: "never", label: "Never", days: null },
  { value: "30", label: "In 30 days", days: 30 },
  { value: "90", label: "In 90 days", days: 90 },
  { value: "365", label: "In a year", days: 365 },
] as const;

export type Lifetime = (typeof lifetimes)[number]["value"];

const dayMs = 86_400_000;

/** When a key made now ends; null: never. */
export function endOf(lifetime: Lifetime, now: number): string | null {
  const days = lifetimes.find(({ value }) => value === lifetime)?.days ?? null;
  return days === null ? null : new Date(now + days * dayMs).toISOString();
}

/** The lines for a program's .env file. */
export function envFile(publicKey: string, secretKey: string, server: string): string {
  return [`LANGFUSE_PUBLIC_KEY=${publicKey}`, `LANGFUSE_SECRET_KEY=${secretKey}`, `LANGFUSE_BASE_URL=${server}`].join("\n");
}
