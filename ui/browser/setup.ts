import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createServer } from "vite";
import type { TestProject } from "vitest/node";
import { connect, post, read, readText, share, signIn, until } from "./api";
import { hookPath, providedModels, providerKey, startProvider } from "./provider";
import { binary, keys, startServer } from "./server";

/** The server that all specs of a run share, and what is in it. Specs may add to it, and take nothing away. */
export interface World {
  url: string;
  /** Where the provider of models is that projects may have called. */
  provider: string;
  /** The cookie of the person that is signed in. */
  cookie: string;
  projects: { large: string; small: string; empty: string };
  /** Traces of the large project that show one thing each, by name. */
  traces: Record<string, string>;
  /** A dataset of the large project, and an item of it. */
  dataset: { id: string; item: string };
  /** A dataset in a folder, whose items are held to schemas. */
  refunds: { id: string; item: string };
  /** Annotation queues of the large project, by name. */
  queues: Record<string, string>;
  /** Its experiments: their ids by name. */
  experiments: Record<string, string>;
  /** Where the page of components is, which only the development server has. */
  gallery: string;
  /** An address that the server may send webhooks to. */
  hook: string;
  /** Its evaluators and evaluation rules, by name. */
  evaluators: Record<string, string>;
  rules: Record<string, string>;
}

declare module "vitest" {
  interface ProvidedContext {
    world: World;
  }
}

/** When the newest trace of the fixture begins. */
export const fixtureEnd = "2026-05-01T12:00:00Z";
const oddTraces = 10;

/** One server for all specs. SONDE_UI_DATA names a directory that keeps the data for the next run: that starts at once. */
export default async function setup(project: TestProject) {
  const kept = process.env.SONDE_UI_DATA;
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), "sonde-browser-")));
  const fresh = (await readdir(dataDir).catch(() => [])).length === 0;
  const started: { stop: () => Promise<void> }[] = [];
  const end = async () => {
    await Promise.all(started.map((one) => one.stop()));
    if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const provider = await startProvider();
    started.push(provider);
    const server = await startServer(dataDir, { outbound: provider.url });
    started.push(server);
    const gallery = await createServer({ logLevel: "error", server: { host: "127.0.0.1", port: 0, hmr: false, proxy: { "/api": server.url } } });
    started.push({ stop: () => gallery.close() });
    await Promise.all([requirePages(server.url), gallery.listen()]);
    if (fresh) await fill(server.url);
    await connect(server.url, { provider: "gateway", adapter: "openai", secretKey: providerKey, baseURL: provider.url, customModels: providedModels, withDefaultModels: false });
    project.provide("world", { ...(await look(server.url)), provider: provider.url, hook: provider.url + hookPath, gallery: gallery.resolvedUrls!.local[0]!.replace(/\/$/, "") });
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

async function requirePages(url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  if (!page.includes("/assets/") && !page.includes("assets/index")) throw new Error('the binary has no web interface in it: run "make ui build" first');
}

async function fill(url: string): Promise<void> {
  const member = await signIn(url);
  const small = await post(url, member, "/api/ui/projects", { organizationId: member.organizationId, name: "Small" });
  await post(url, member, "/api/ui/projects", { organizationId: member.organizationId, name: "Empty" });
  const smallKey = await post(url, member, `/api/public/projects/${small.id}/apiKeys`, { name: "browser" });
  const demo = (key: { publicKey: string; secretKey: string }, ...more: string[]) =>
    promisify(execFile)(binary, ["demo", "--url", url, "--public-key", key.publicKey, "--secret-key", key.secretKey, ...more]);
  await demo(smallKey, "--small", "--traces", "30", "--days", "1", "--until", fixtureEnd);
  await demo(keys, "--fixture", "ui");
  await until(async () => (await odd(url)).length === oddTraces);
  const longest = (await odd(url)).find(({ name }) => name === "long-run-50k")!;
  await until(async () => (await head(url, longest.id)).observations === 50_000);
  const runs = Object.values(await experiments(url));
  const scored = async (id: string) => (await read(url, `/api/public/experiments/figures?id=${id}`)).data.find(({ name }: { name: string }) => name === "similarity")?.count === 200;
  await until(async () => (await Promise.all(runs.map(scored))).every(Boolean));
  const shared = (await odd(url)).find(({ name }) => name === "every-kind")!;
  await share(url, shared.id);
  await until(async () => (await read(url, "/api/public/jobs")).data.every(({ kind, state }: { kind: string; state: string }) => kind !== "evaluate" || state === "done"));
}

/** The first line of a trace's skeleton, which counts its rows. */
async function head(url: string, traceId: string): Promise<{ observations: number }> {
  const lines = await readText(url, `/api/public/traces/${traceId}/skeleton`);
  return JSON.parse(lines.slice(0, lines.indexOf("\n"))) as { observations: number };
}

async function odd(url: string): Promise<{ id: string; name: string }[]> {
  return (await read(url, "/api/public/traces?tags=odd&limit=50")).data;
}

const experiments = (url: string) => idsByName(url, "/api/public/experiments?fromStartTime=2026-01-01T00:00:00Z");

async function idsByName(url: string, path: string): Promise<Record<string, string>> {
  const { data } = await read(url, path);
  return Object.fromEntries(data.map(({ id, name }: { id: string; name: string }) => [name, id]));
}

async function look(url: string): Promise<Omit<World, "provider" | "hook" | "gallery">> {
  const member = await signIn(url);
  const idOf = (name: string) => member.projects.find((one) => one.name === name)!.id;
  return {
    url, cookie: member.cookie,
    projects: { large: idOf("Large"), small: idOf("Small"), empty: idOf("Empty") },
    traces: Object.fromEntries((await odd(url)).map(({ id, name }) => [name, id])),
    dataset: { id: (await read(url, "/api/public/v2/datasets/support-questions")).id, item: "support-question-01" },
    refunds: { id: (await read(url, `/api/public/v2/datasets/${encodeURIComponent("support/refunds")}`)).id, item: "refund-01" },
    queues: await idsByName(url, "/api/public/annotation-queues"),
    experiments: await experiments(url),
    evaluators: await idsByName(url, "/api/public/v2/evaluators"),
    rules: await idsByName(url, "/api/public/v2/evaluation-rules"),
  };
}
