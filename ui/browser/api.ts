import { gzipSync } from "node:zlib";
import { keys, person } from "./server";

/** What a signed-in person is allowed to ask, as a page of theirs would. */
export interface Member {
  cookie: string;
  csrf: string;
  organizationId: string;
  projects: { id: string; name: string }[];
}

export async function signIn(url: string, { email, password }: { email: string; password: string } = person): Promise<Member> {
  return memberOf(await fetch(`${url}/api/ui/session`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ email, password }) }));
}

/** Somebody else of the organization, who may do the same. */
export const colleague = { name: "Zoe", email: "zoe@example.com", password: "correct horse battery" };

/** Signs the colleague in, who is invited first where nobody knows them. */
export async function signInColleague(url: string): Promise<Member> {
  return signIn(url, colleague).catch(async () => {
    const host = await signIn(url);
    const { link } = await post(url, host, "/api/ui/invitations", { organizationId: host.organizationId, email: colleague.email, role: "MEMBER" });
    const { name, password } = colleague;
    const token = new URL(link).searchParams.get("invitation");
    return memberOf(await fetch(`${url}/api/ui/invitations/accept/${token}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name, password }) }));
  });
}

async function memberOf(response: Response): Promise<Member> {
  const session = await answer(response);
  const [organization] = session.organizations;
  const cookie = response.headers.getSetCookie().find((one) => one.startsWith("sonde_session="))?.split(";")[0] ?? "";
  return { cookie, csrf: session.csrfToken, organizationId: organization.id, projects: organization.projects };
}

/** Sends as a person. */
export async function post(url: string, member: Member, path: string, body: unknown) {
  return answer(await fetch(url + path, { method: "POST", headers: { "Content-Type": "application/json", Cookie: member.cookie, "X-Sonde-Csrf": member.csrf }, body: JSON.stringify(body) }));
}

/** Reads with the keys of the large project. */
export async function read(url: string, path: string, key: Keys = keys) {
  return JSON.parse(await readText(url, path, key));
}

export async function readText(url: string, path: string, key: Keys = keys): Promise<string> {
  return text(await fetch(url + path, { headers: { Authorization: basic(key) } }));
}

/** Makes something with the keys of a project, the large one unless given. */
export async function create(url: string, path: string, body: unknown, key: Keys = keys) {
  return answer(await fetch(url + path, { method: "POST", headers: { "Content-Type": "application/json", Authorization: basic(key) }, body: JSON.stringify(body) }));
}

/** Makes a trace public, and waits until everybody may read it. */
export async function share(url: string, traceId: string): Promise<void> {
  await answer(await fetch(`${url}/api/public/traces/${traceId}`, { method: "PATCH", headers: { "Content-Type": "application/json", Authorization: basic(keys) }, body: JSON.stringify({ public: true }) }));
  await until(async () => (await fetch(`${url}/api/public/shared-traces/${traceId}/skeleton`)).ok);
}

/** Connects the large project to a provider of models, in place of the connection of this name. */
export async function connect(url: string, connection: object): Promise<void> {
  await send(url, "PUT", "/api/public/llm-connections", connection);
}

/** Makes the next version of a prompt of the large project. */
export async function makePrompt(url: string, prompt: object): Promise<void> {
  await send(url, "POST", "/api/public/v2/prompts", prompt);
}

async function send(url: string, method: "POST" | "PUT", path: string, body: object): Promise<void> {
  await answer(await fetch(url + path, { method, headers: { "Content-Type": "application/json", Authorization: basic(keys) }, body: JSON.stringify(body) }));
}

export interface Keys {
  publicKey: string;
  secretKey: string;
}

export interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  start: number;
  /** Milliseconds since 1970, like start; undefined: it still runs. */
  end?: number;
  attributes?: Record<string, string>;
}

/** Sends spans as an application would, and waits until the last of them can be read. */
export async function sendSpans(url: string, spans: readonly SentSpan[], key: Keys = keys): Promise<void> {
  await sendBatch(url, spans, key);
  const last = spans.at(-1)!;
  await until(async () => (await read(url, `/api/public/v2/observations?traceId=${last.traceId}&fields=core&limit=1000`, key)).data.some((row: { id: string }) => row.id === last.spanId));
}

/** Sends one request, again while the server has no room for it. */
export async function sendBatch(url: string, spans: readonly SentSpan[], key: Keys = keys): Promise<void> {
  const nanos = (millis: number) => `${Math.round(millis)}000000`;
  const body = JSON.stringify({
    resourceSpans: [{
      scopeSpans: [{
        spans: spans.map(({ start, end, attributes = {}, ...span }) => ({
          ...span, kind: 1, startTimeUnixNano: nanos(start), ...(end === undefined ? {} : { endTimeUnixNano: nanos(end) }),
          attributes: Object.entries(attributes).map(([name, value]) => ({ key: name, value: { stringValue: value } })),
        })),
      }],
    }],
  });
  await push(url, "/api/public/otel/v1/traces", body, key);
}

export interface SentScore {
  traceId: string;
  observationId: string;
  name: string;
  value: number;
  dataType: "NUMERIC" | "BOOLEAN";
}

/** Sends scores in one request. Each has an id of its own, so that sending it again changes nothing. */
export async function sendScores(url: string, scores: readonly SentScore[], key: Keys = keys): Promise<void> {
  const timestamp = new Date().toISOString();
  const batch = scores.map((score) => {
    const id = `${score.observationId}-${score.name}`;
    return { id, type: "score-create", timestamp, body: { id, environment: "default", ...score } };
  });
  await push(url, "/api/public/ingestion", JSON.stringify({ batch }), key);
}

/** Sends a body, again while the server has no room for it. */
async function push(url: string, path: string, body: string, key: Keys): Promise<void> {
  const headers = { Authorization: basic(key), "Content-Type": "application/json", "Content-Encoding": "gzip" };
  const packed = new Uint8Array(gzipSync(body));
  await until(async () => {
    const response = await fetch(url + path, { method: "POST", headers, body: packed });
    if (response.status === 429 || response.status === 503) return false;
    await text(response);
    return true;
  });
}

/** Begins an observation that runs, or ends it. A span of OpenTelemetry cannot tell: it is sent when it is over. */
export async function tellSpan(url: string, method: "POST" | "PATCH", body: Record<string, string>): Promise<void> {
  await text(await fetch(`${url}/api/public/spans`, { method, headers: { Authorization: basic(keys), "Content-Type": "application/json" }, body: JSON.stringify(body) }));
}

/** Asks again and again until it is so. */
export async function until(check: () => Promise<boolean>, seconds = 60): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`it is not so after ${seconds} s: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function basic({ publicKey, secretKey }: Keys): string {
  return `Basic ${btoa(`${publicKey}:${secretKey}`)}`;
}

async function text(response: Response): Promise<string> {
  const content = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${content.slice(0, 500)}`);
  return content;
}

async function answer(response: Response) {
  return JSON.parse((await text(response)) || "null");
}
