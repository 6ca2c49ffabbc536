import { formatCount } from "@/shared/lib/format";
import type { IngestRequest, UnknownKey } from "./progress";

/** Why something that was sent did not arrive, and what to do about it. */
export interface Failure {
  at: string;
  what: string;
  advice: string;
}

const shown = 5;
const freshMs = 60 * 60_000;

/** The newest kinds of failures since everything last went well, each once. */
export function failuresOf(requests: readonly IngestRequest[], unknownKeys: readonly UnknownKey[], now: number, baseUrl: string): Failure[] {
  const lastGood = requests.find(({ code, spansAccepted }) => code === null && spansAccepted > 0)?.at ?? "";
  const unknown = unknownKeys.map(({ at, publicKeyPrefix, path }) => ({
    at, key: `unknown ${publicKeyPrefix}`,
    what: `401 on ${path}: no key of this server begins with ${publicKeyPrefix}`,
    advice: "It may be the key of another server. Copy both halves from this page.",
  }));
  const refused = requests.flatMap((request) => (request.code === null ? [] : [{ at: request.at, key: `${request.code} ${request.path} ${request.publicKey}`, ...explain(request, baseUrl) }]));
  const kinds = new Set<string>();
  return [...unknown, ...refused]
    .filter(({ at }) => at > lastGood && now - Date.parse(at) < freshMs)
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
    .filter(({ key }) => !kinds.has(key) && kinds.add(key))
    .slice(0, shown)
    .map(({ at, what, advice }) => ({ at, what, advice }));
}

type Told = Pick<Failure, "what" | "advice">;

function explain(request: IngestRequest, baseUrl: string): Told {
  const { code, status, path, publicKey, reason } = request;
  const key = publicKey ?? "the key";
  switch (code) {
    case "wrong_secret":
      return { what: `${status}: ${key} is right, but the secret is not its own`, advice: "Copy both halves of one key. A secret is shown only once: if it is lost, create another key." };
    case "key_not_valid":
      return { what: `${status}: ${key} was deleted or has expired`, advice: "Create another key on this page." };
    case "forbidden":
      return { what: `${status} on ${path}: ${reason ?? "the key may not do this"}`, advice: "Sending traces takes a key with the scope “all” or “ingest”." };
    case "wrong_path":
      return { what: `${status}: nothing is served at ${path}`, advice: `Exporters that add the path themselves take ${baseUrl}/api/public/otel, others ${baseUrl}/api/public/otel/v1/traces.` };
    case "wrong_method":
      return { what: `${status} on ${path}: ${request.method} is not served there`, advice: "Spans are sent with POST." };
    case "content_type":
    case "content_encoding":
      return { what: `${status}: ${reason ?? "the form of the body is not supported"}`, advice: "Choose OTLP over HTTP as protobuf (http/protobuf) or JSON (http/json) in the exporter." };
    case "spans_rejected":
      return rejected(request);
    case "too_large":
      return { what: `${status}: ${reason ?? "the request is too large"}`, advice: "Send fewer spans at a time: make the exporter's batches smaller." };
    default:
      return { what: `${status} on ${path}: ${reason ?? code}`, advice: status >= 500 || status === 429 ? "SDKs try again by themselves." : "The message says what to change." };
  }
}

function rejected({ spansAccepted, spansRejected, reason }: IngestRequest): Told {
  const all = spansAccepted === 0;
  const what = all ? (spansRejected === 1 ? "The only span of a request was rejected" : `All ${formatCount(spansRejected)} spans of a request were rejected`) : `${formatCount(spansRejected)} of ${formatCount(spansAccepted + spansRejected)} spans were rejected`;
  return { what: `${what}: ${reason}`, advice: all ? "Mend what the reason names, then send again." : "The others were taken." };
}
