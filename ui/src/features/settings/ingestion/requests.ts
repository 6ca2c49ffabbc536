import type { BadgeTone } from "@/shared/ui/Badge";
import type { IngestRequest } from "./api";

/** What to do about each way in which a request can fail. */
const advice: Record<NonNullable<IngestRequest["code"]>, string> = {
  wrong_secret: "The public key exists, but the secret is not its own. Copy both halves of one key again, or create a new key.",
  key_not_valid: "The key was revoked or has expired. Create a new one and give it to the application.",
  forbidden: "The key may not send data. Create one that may.",
  wrong_path: "Nothing listens there. Send spans to /api/public/otel/v1/traces.",
  wrong_method: "Send it as POST.",
  content_type: "Send application/x-protobuf or application/json.",
  content_encoding: "Send it with gzip, deflate or zstd, or uncompressed.",
  spans_rejected: "What was accepted is stored; what was rejected is not sent again by SDKs. Update the SDK, or look at how the application makes these spans.",
  too_large: "Send fewer spans at once, or shorter inputs and outputs.",
  too_slow: "The body did not arrive in time. Look at the network between the application and this server.",
  overloaded: "The server had no room. SDKs send it again by themselves; when this stays, the operator has to give it more.",
  invalid: "The body could not be read. Update the SDK, or look at what the application sends.",
  failed: "Something failed here. Tell the operator; SDKs send it again by themselves.",
};

export function adviceOf({ code }: IngestRequest): string | undefined {
  return code === null ? undefined : advice[code];
}

/** Whether all of it, or a part, was not taken. */
export function isRefused({ code, status }: IngestRequest): boolean {
  return code !== null || status >= 400;
}

export function toneOf(request: IngestRequest): BadgeTone {
  if (request.status >= 400 || (request.spansRejected > 0 && request.spansAccepted === 0)) return "danger";
  return isRefused(request) ? "warn" : "ok";
}

export type KeyedRequest = IngestRequest & { key: string };

/** Gives each a key that it keeps when newer ones come before it. Requests of one moment differ by their number from the oldest. */
export function withKeys(requests: readonly IngestRequest[]): KeyedRequest[] {
  const seen = new Map<string, number>();
  return requests.toReversed().map((request) => {
    const moment = `${request.at} ${request.path}`;
    const count = seen.get(moment) ?? 0;
    seen.set(moment, count + 1);
    return { ...request, key: `${moment} ${count}` };
  }).toReversed();
}

/** "python 4.2.0", or null when the client did not say. */
export function sdkOf({ sdkName, sdkVersion }: IngestRequest): string | null {
  return [sdkName, sdkVersion].filter(Boolean).join(" ") || null;
}
