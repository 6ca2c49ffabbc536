// Acceptance journey: the real JS SDK (5.11.1, newest published) against a running server.
// Environment: SONDE_URL (or LANGFUSE_BASE_URL / LANGFUSE_HOST), LANGFUSE_PUBLIC_KEY (or PUBLIC),
// LANGFUSE_SECRET_KEY (or SECRET). CHECKS selects checks: comma-separated parts of their names, or @FILE for
// the "js: NAME" lines of a file; unset runs all. A check that was not selected is neither run nor counted; a
// line of the file that names no check is a failure. Checks build on each other: "trace with every observation
// type is visible" sends what later ones read. Prints one line per check and "N passed, N failed"; exit 1 on failure.
// Every read waits at most WAIT ms for visibility.
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { gzipSync } from "node:zlib";

const env = process.env;
const URL_ = (env.SONDE_URL ?? env.LANGFUSE_BASE_URL ?? env.LANGFUSE_HOST ?? "").replace(/\/+$/, "");
const PUBLIC = env.LANGFUSE_PUBLIC_KEY ?? env.PUBLIC ?? "";
const SECRET = env.LANGFUSE_SECRET_KEY ?? env.SECRET ?? "";
if (!URL_ || !PUBLIC || !SECRET) {
  console.error("set SONDE_URL, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY");
  process.exit(1);
}
Object.assign(env, { LANGFUSE_BASE_URL: URL_, LANGFUSE_PUBLIC_KEY: PUBLIC, LANGFUSE_SECRET_KEY: SECRET });
env.OTEL_SERVICE_NAME ??= "sonde-journey";
env.OTEL_NODE_RESOURCE_DETECTORS ??= "none";

const { NodeSDK } = await import("@opentelemetry/sdk-node");
const { LangfuseSpanProcessor } = await import("@langfuse/otel");
const { LangfuseClient } = await import("@langfuse/client");
const { startObservation, startActiveObservation, propagateAttributes } = await import("@langfuse/tracing");
const { LangfuseMedia, LangfuseAPIClient } = await import("@langfuse/core");

const WAIT = 5000;
const RUN = randomUUID().slice(0, 8);
const START = new Date(Date.now() - 60_000).toISOString();
const sid = (n) => `${n}-js-${RUN}`;
const sha = (s) => createHash("sha256").update(s).digest("hex");
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const AUTH = "Basic " + Buffer.from(`${PUBLIC}:${SECRET}`).toString("base64");

const processor = new LangfuseSpanProcessor({ environment: "journey-js", release: "rel-" + RUN });
const sdk = new NodeSDK({ spanProcessors: [processor] });
sdk.start();
const lf = new LangfuseClient();

let passed = 0;
let failed = 0;
const CHECKS = env.CHECKS ?? "";
const EXACT = CHECKS.startsWith("@");
const parts = EXACT
  ? readFileSync(CHECKS.slice(1), "utf8").split("\n").filter((l) => l.startsWith("js:")).map((l) => l.slice(3).trim())
  : CHECKS.split(",").map((p) => p.trim()).filter(Boolean);
const WANTED = EXACT || parts.length ? new Set(parts) : null;
const used = new Set();
function wanted(name) {
  if (!WANTED) return true;
  const by = [...WANTED].filter((w) => (EXACT ? w === name : name.includes(w)));
  by.forEach((w) => used.add(w));
  return by.length > 0;
}
async function check(name, fn) {
  if (!wanted(name)) return;
  try {
    await fn();
    passed++;
    console.log("ok    " + name);
  } catch (e) {
    failed++;
    console.log(`FAIL  ${name}: ${String(e?.message ?? e).replace(/\s+/g, " ").slice(0, 400)}`);
  }
}
function eq(got, want, what = "value") {
  if (!isDeepStrictEqual(got, want)) throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}
function has(ok, what) {
  if (!ok) throw new Error(what);
}
function near(got, want, what = "value") {
  has(typeof got === "number" && Math.abs(got - want) < 1e-9, `${what}: got ${got}, want about ${want}`);
}
async function eventually(read, done, what) {
  const end = Date.now() + WAIT;
  for (;;) {
    let last;
    try {
      last = await read();
      if (done(last)) return last;
    } catch (e) {
      last = String(e?.message ?? e);
    }
    if (Date.now() >= end) throw new Error(`${what} not visible within ${WAIT} ms (last: ${(JSON.stringify(last) ?? "").slice(0, 200)})`);
    await sleep(100);
  }
}
async function call(method, path, { status = 200, body, auth = AUTH, params, headers = {}, raw } = {}) {
  const url = new URL(URL_ + "/api/public/" + path);
  for (const [k, v] of Object.entries(params ?? {})) url.searchParams.append(k, v);
  const h = { ...headers };
  if (auth) h.authorization = auth;
  if (body !== undefined && !h["content-type"]) h["content-type"] = "application/json";
  const r = await fetch(url, { method, headers: h, body: raw ?? (body === undefined ? undefined : JSON.stringify(body)) });
  const text = await r.text();
  eq(r.status, status, `status of ${method} ${path} (${text.slice(0, 160)})`);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
async function rejected(path, params) {
  const b = await call("GET", path, { status: 400, params });
  has(b && b.message, `400 body without message: ${JSON.stringify(b)}`);
}
const conds = (...c) => JSON.stringify(c);
const observations = async (q) => (await lf.api.observations.getMany(q)).data;
const scores = async (q) => (await lf.api.scoresV3.getManyV3(q)).data;

// ------------------------------------------------------------------ service and auth
await check("health reports a version the SDK accepts", async () => {
  const h = await lf.api.health.health();
  eq(h.status, "OK", "status");
  const [a, b] = h.version.split(".").map(Number);
  has(a > 4 || (a === 4 && b >= 55), `version ${h.version}`);
});
let PROJECT;
await check("project of the key", async () => {
  const p = (await lf.api.projects.get()).data;
  eq(p.length, 1, "projects");
  PROJECT = p[0].id;
  has(PROJECT && p[0].name && p[0].organization.id, "fields");
});
PROJECT ??= (await lf.api.projects.get().catch(() => null))?.data[0]?.id;
if (!PROJECT) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(1);
}
await check("wrong secret is 401 with a JSON message", async () => {
  const bad = new LangfuseAPIClient({ baseUrl: URL_, environment: "", username: PUBLIC, password: "sk-lf-wrong" });
  let error;
  await bad.projects.get().catch((e) => (error = e));
  eq(error?.statusCode, 401, "status");
  has((await call("GET", "v2/observations", { status: 401, auth: null })).message, "message without credentials");
});

// ------------------------------------------------------------------ prompts
const PROMPT = `journey/js greet ü ${RUN}`;
await check("prompt create, get by label and version, move label", async () => {
  const p1 = await lf.prompt.create({ name: PROMPT, prompt: "Hello {{name}}", labels: ["production"], config: { t: 1 } });
  eq([p1.version, [...p1.labels].sort()], [1, ["latest", "production"]], "version 1");
  const p2 = await lf.prompt.create({ name: PROMPT, prompt: "Hi {{name}}", labels: [] });
  eq([p2.version, p2.labels], [2, ["latest"]], "version 2");
  eq((await lf.prompt.get(PROMPT, { cacheTtlSeconds: 0 })).version, 1, "production");
  eq((await lf.prompt.get(PROMPT, { label: "latest", cacheTtlSeconds: 0 })).compile({ name: "Ada" }), "Hi Ada", "compiled");
  await lf.prompt.update({ name: PROMPT, version: 2, newLabels: ["production"] });
  eq((await lf.prompt.get(PROMPT, { cacheTtlSeconds: 0 })).version, 2, "moved");
  await call("GET", "v2/prompts/" + encodeURIComponent("missing-" + RUN), { status: 404 });
});
await check("prompt cache, fallback, and a prompt that is gone", async () => {
  const missing = await lf.prompt.get("missing-" + RUN, { fallback: "Fallback {{name}}", maxRetries: 0 });
  eq([missing.isFallback, missing.compile({ name: "Ada" })], [true, "Fallback Ada"], "fallback");
  const name = PROMPT + " cached";
  await lf.prompt.create({ name, prompt: "one", labels: ["production"] });
  eq((await lf.prompt.get(name)).prompt, "one", "first read");
  await call("POST", "v2/prompts", { body: { name, prompt: "two", labels: ["production"] }, status: 201 });
  eq((await lf.prompt.get(name)).prompt, "one", "out of the SDK's cache");
  eq((await lf.prompt.get(name, { cacheTtlSeconds: 0 })).prompt, "two", "past the SDK's cache");
  await lf.prompt.delete(name);
  eq((await lf.prompt.get(name, { fallback: "gone", cacheTtlSeconds: 0, maxRetries: 0 })).prompt, "gone", "after deletion");
});
const linked = await lf.prompt.get(PROMPT, { fallback: "x" });

// ------------------------------------------------------------------ one trace
const TYPES = ["agent", "tool", "chain", "retriever", "evaluator", "guardrail", "embedding"];
const NAMES = ["root", "gen", "event-obs", "media", "failing", ...TYPES.map((t) => t + "-obs")].sort();
const PNG = Buffer.concat([Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"), Buffer.from(RUN)]);
const ids = {};
let rows = {};
const ALL = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context";
await check("trace with every observation type is visible", async () => {
  await propagateAttributes({ userId: "user-" + RUN, sessionId: "sess-" + RUN, tags: ["a", RUN], traceName: "my-trace", version: "v9", metadata: { team: "core" } }, () =>
    startActiveObservation("root", async (root) => {
      ids.trace = root.traceId;
      ids.root = root.id;
      root.update({ input: { q: "wie geht's? ü needle-" + RUN }, metadata: { s: "gold", i: 42, t: true, nested: { b: { c: 1 } }, list: [1, "x"], long: "x".repeat(300), u: "héé✓" } });
      const gen = root.startObservation(
        "gen",
        { model: "journey-model", input: [{ role: "user", content: "Hi" }], modelParameters: { temperature: 0.7 }, usageDetails: { input: 10, output: 5 }, costDetails: { input: 0.001, output: 0.002 }, prompt: linked, completionStartTime: new Date(), level: "WARNING", statusMessage: "slow" },
        { asType: "generation" },
      );
      ids.gen = gen.id;
      gen.update({ output: { role: "assistant", content: "Hello!" } }).end();
      for (const t of TYPES) root.startObservation(t + "-obs", { input: { t } }, { asType: t }).end();
      root.startObservation("event-obs", { input: "ev-in", level: "DEBUG" }, { asType: "event" });
      root.startObservation("media", { input: { img: `data:image/png;base64,${PNG.toString("base64")}` } }).end();
      root.startObservation("failing", { level: "ERROR", statusMessage: "boom" }, { asType: "tool" }).end();
      root.update({ output: "done" });
    }),
  );
  await processor.forceFlush();
  const got = await eventually(() => observations({ traceId: ids.trace, fields: ALL, limit: 100 }), (d) => d.length >= NAMES.length, "trace");
  rows = Object.fromEntries(got.map((r) => [r.name, r]));
  eq(Object.keys(rows).sort(), NAMES, "names");
});
await check("types, hierarchy, level", async () => {
  for (const t of TYPES) eq(rows[t + "-obs"].type, t.toUpperCase(), t);
  eq([rows.root.type, rows.gen.type, rows["event-obs"].type], ["SPAN", "GENERATION", "EVENT"], "types");
  eq([rows.root.parentObservationId, rows.gen.parentObservationId], [null, ids.root], "parents");
  eq(Object.values(rows).filter((r) => r.isRootObservation).map((r) => r.name), ["root"], "roots");
  eq([rows.gen.level, rows.gen.statusMessage, rows.failing.level, rows.failing.statusMessage, rows["event-obs"].level], ["WARNING", "slow", "ERROR", "boom", "DEBUG"], "levels");
});
await check("propagated trace fields on every row", async () => {
  eq(Object.keys(rows).sort(), NAMES, "names");
  for (const r of Object.values(rows)) {
    eq([r.userId, r.sessionId, [...r.tags].sort(), r.traceName, r.version, r.release, r.environment], ["user-" + RUN, "sess-" + RUN, ["a", RUN].sort(), "my-trace", "v9", "rel-" + RUN, "journey-js"], r.name);
    eq(r.metadata.team, "core", r.name);
  }
});
await check("generation fields", async () => {
  const g = rows.gen;
  eq([g.model, g.modelParameters, g.usageDetails, g.promptName, g.promptVersion], ["journey-model", { temperature: 0.7 }, { input: 10, output: 5, total: 15 }, PROMPT, 2], "fields");
  near(g.totalCost, 0.003, "cost");
  eq(JSON.parse(g.output), { role: "assistant", content: "Hello!" }, "output");
  eq(typeof g.input, "string", "raw input");
  has(g.timeToFirstToken !== null && g.latency !== null, "timings");
});
await check("metadata: text of older SDKs reads back typed, nested keys dotted, cut at 200", async () => {
  const m = rows.root.metadata;
  eq([m.s, m.i, m.t, m["nested.b.c"], m.list, m.u], ["gold", 42, true, 1, [1, "x"], "héé✓"], "values");
  eq(m.long, "x".repeat(200), "cut");
  const [full] = await observations({ traceId: ids.trace, fields: "metadata", expandMetadata: "long", isRootObservation: true });
  eq(full.metadata.long, "x".repeat(300), "expanded");
});
await check("cursor paging", async () => {
  const seen = [];
  let cursor;
  for (let i = 0; i < 20; i++) {
    const page = await lf.api.observations.getMany({ traceId: ids.trace, limit: 5, cursor });
    seen.push(...page.data.map((r) => r.id));
    cursor = page.meta.cursor;
    if (!cursor) break;
    eq(page.data.length, 5, "page size");
  }
  eq([seen.length, new Set(seen).size], [NAMES.length, NAMES.length], "rows");
});
await check("filters", async () => {
  const f = async (...c) => (await observations({ traceId: ids.trace, filter: conds(...c) })).map((r) => r.name).sort();
  eq(await f({ type: "stringOptions", column: "type", operator: "any of", value: ["AGENT", "CHAIN"] }), ["agent-obs", "chain-obs"], "any of");
  eq(await f({ type: "stringObject", column: "metadata", key: "s", operator: "=", value: "gold" }), ["root"], "metadata string");
  eq(await f({ type: "numberObject", column: "metadata", key: "i", operator: ">", value: 41 }), ["root"], "metadata number");
  eq(await f({ type: "string", column: "input", operator: "matches", value: "NEEDLE-" + RUN }), ["root"], "matches");
  eq(await f({ type: "arrayOptions", column: "tags", operator: "none of", value: ["a"] }), [], "tags");
  eq((await observations({ traceId: ids.trace, level: "ERROR" })).map((r) => r.name), ["failing"], "level");
  eq((await observations({ traceId: ids.trace, environment: ["journey-js", "x"], limit: 100 })).length, NAMES.length, "environments");
});
await check("observation read errors are 400", async () => {
  await rejected("v2/observations", { parseIoAsJson: "true" });
  await rejected("v2/observations", { limit: "1001" });
  await rejected("v2/observations", { filter: "{" });
  await rejected("v2/observations", { filter: conds({ type: "string", column: "output", operator: "contains", value: "x" }) });
});
await check("media: reference in the input and bytes back", async () => {
  const media = new LangfuseMedia({ source: "base64_data_uri", base64DataUri: `data:image/png;base64,${PNG.toString("base64")}` });
  const id = await media.getId();
  has(rows.media.input.includes(`@@@langfuseMedia:type=image/png|id=${id}|source=base64_data_uri@@@`), "reference in " + rows.media.input);
  const m = await eventually(() => lf.api.media.get(id), (x) => x.url, "media");
  eq([m.contentType, m.contentLength], ["image/png", PNG.length], "record");
  const r = await fetch(new URL(m.url, URL_));
  has(Buffer.from(await r.arrayBuffer()).equals(PNG), "bytes");
});

// ------------------------------------------------------------------ scores (this SDK sends them to /ingestion)
await check("scores of every type and subject", async () => {
  lf.score.create({ id: sid("num"), traceId: ids.trace, name: "num", value: 0.25, dataType: "NUMERIC", comment: "c", metadata: { judge: "v2" } });
  lf.score.create({ id: sid("plain"), traceId: ids.trace, name: "plain", value: 3 });
  lf.score.create({ id: sid("bool"), traceId: ids.trace, observationId: ids.gen, name: "bool", value: 1, dataType: "BOOLEAN" });
  lf.score.create({ id: sid("cat"), traceId: ids.trace, name: "cat", value: "good", dataType: "CATEGORICAL" });
  lf.score.create({ id: sid("text"), traceId: ids.trace, name: "text", value: "free ü", dataType: "TEXT" });
  lf.score.create({ id: sid("sess"), sessionId: "sess-" + RUN, name: "sess", value: 0.9, dataType: "NUMERIC" });
  await lf.flush();
  const want = ["num", "plain", "bool", "cat", "text", "sess"];
  const got = await eventually(() => scores({ id: want.map(sid).join(","), fields: "details,subject" }), (d) => d.length === want.length, "scores");
  const by = Object.fromEntries(got.map((s) => [s.name, s]));
  eq([by.num.value, by.num.dataType, by.num.comment, by.num.metadata, by.num.source], [0.25, "NUMERIC", "c", { judge: "v2" }, "API"], "num");
  eq([by.plain.dataType, by.bool.value, by.cat.value, by.text.value], ["NUMERIC", true, "good", "free ü"], "typed values");
  eq([by.num.subject, by.bool.subject, by.sess.subject], [{ kind: "trace", id: ids.trace }, { kind: "observation", id: ids.gen, traceId: ids.trace }, { kind: "session", id: "sess-" + RUN }], "subjects");
});
await check("score read errors are 400", async () => {
  await rejected("v3/scores", { fields: "banana" });
  await rejected("v3/scores", { observationId: "x" });
  await rejected("v3/scores", { traceId: "x", experimentId: "y" });
  await rejected("v3/scores", { valueMin: "1" });
});
await check("single score object answers 200 with its id", async () => {
  eq(await call("POST", "scores", { body: { id: sid("one"), traceId: ids.trace, name: "one", value: 1 } }), { id: sid("one") }, "body");
  await eventually(() => scores({ id: sid("one") }), (d) => d.length === 1, "score");
});

// ------------------------------------------------------------------ dataset and experiments (this SDK calls /dataset-run-items)
const DS = `journey/js capitals ü ${RUN}`;
const RUNNAME = `run <é> & js ${RUN}`;
let dsId;
let expId;
const task = async (item) => {
  startObservation("llm", { model: "journey-model", input: item.input, output: "Paris" }, { asType: "generation" }).end();
  return "Paris";
};
const exact = async ({ output, expectedOutput }) => ({ name: "exact", value: output === expectedOutput ? 1 : 0, comment: "c" });
const average = async () => ({ name: "avg", value: 0.5, comment: "run level" });
await check("dataset with items", async () => {
  dsId = (await lf.api.datasets.create({ name: DS, description: "d", metadata: { owner: "x" } })).id;
  await lf.dataset.createItem({ datasetName: DS, id: sid("i1"), input: "capital of France?", expectedOutput: "Paris", metadata: { difficulty: "easy" } });
  await lf.dataset.createItem({ datasetName: DS, id: sid("i2"), input: { q: "capital of Italy?" }, expectedOutput: { a: "Rome" } });
  const ds = await lf.dataset.get(DS, { fetchItemsPageSize: 1 });
  eq(ds.items.map((i) => i.id).sort(), [sid("i1"), sid("i2")], "items");
});
await check("experiment on the hosted dataset", async () => {
  const ds = await lf.dataset.get(DS);
  const r = await ds.runExperiment({ name: "hosted", runName: RUNNAME, description: "hosted run", task, evaluators: [exact], runEvaluators: [average], metadata: { model: "m1" } });
  eq(r.itemResults.length, 2, "results");
  expId = r.experimentId;
  eq(expId, sha(JSON.stringify(["langfuse-experiment-v1", PROJECT, dsId, RUNNAME])).slice(0, 16), "derived id");
  await processor.forceFlush();
  await lf.flush();
});
await check("experiment row, items and scores", async () => {
  const [e] = await eventually(async () => (await lf.api.experiments.list({ fromStartTime: START, id: expId, fields: "metadata,scores" })).data, (d) => d.length === 1 && d[0].itemCount === 2 && d[0].scores.length, "experiment");
  eq([e.name, e.description, e.datasetId, e.metadata.model], [RUNNAME, "hosted run", dsId, "m1"], "experiment");
  eq(e.scores.map((s) => [s.name, s.value, s.subject]), [["avg", 0.5, { kind: "experiment", id: expId }]], "run score");
  const items = await eventually(async () => (await lf.api.experiments.listItems({ fromStartTime: START, experimentId: expId, fields: "core,dataset,io,itemMetadata,scores" })).data, (d) => d.length === 2 && d.every((i) => i.scores.length), "items");
  const by = Object.fromEntries(items.map((i) => [i.experimentItemId, i]));
  const i1 = by[sid("i1")];
  eq([i1.input, i1.output, i1.expectedOutput, i1.environment, i1.experimentDatasetId], ["capital of France?", "Paris", "Paris", "sdk-experiment", dsId], "item");
  eq(i1.experimentItemMetadata.difficulty, "easy", "item metadata");
  eq([i1.scores.map((s) => s.value), by[sid("i2")].scores.map((s) => s.value)], [[1], [0]], "item scores");
  eq((await scores({ experimentId: expId })).map((s) => s.name), ["avg"], "v3 scores by experiment");
});
await check("experiment on local data", async () => {
  const r = await lf.experiment.run({ name: "local", runName: "local-js-" + RUN, data: [{ input: "a", expectedOutput: "Paris" }], task, evaluators: [exact] });
  await processor.forceFlush();
  await lf.flush();
  const [e] = await eventually(async () => (await lf.api.experiments.list({ fromStartTime: START, id: r.experimentId })).data, (d) => d.length === 1 && d[0].itemCount === 1, "experiment");
  eq([e.name, e.datasetId], ["local-js-" + RUN, null], "experiment");
});
await check("experiment read errors are 400", async () => {
  await rejected("experiments", {});
  await rejected("experiment-items", { fromStartTime: START, fields: "banana" });
});

// ------------------------------------------------------------------ metrics, raw OTLP, deletes
await check("metrics", async () => {
  const q = (o) => lf.api.metrics.metrics({ query: JSON.stringify({ fromTimestamp: START, toTimestamp: new Date(Date.now() + 300_000).toISOString(), filters: [{ type: "string", column: "traceId", operator: "=", value: ids.trace }], ...o }) });
  const { data } = await q({ view: "observations", metrics: [{ measure: "count", aggregation: "count" }, { measure: "totalTokens", aggregation: "sum" }], dimensions: [{ field: "type" }] });
  const by = Object.fromEntries(data.map((r) => [r.type, r]));
  eq([Number(by.TOOL.count_count), Number(by.GENERATION.count_count), Number(by.GENERATION.sum_totalTokens)], [2, 1, 15], "counts");
  await rejected("v2/metrics", { query: "{" });
});
await check("OTLP JSON: gzip accepted, bad content type and bad body are 400", async () => {
  const doc = Buffer.from(JSON.stringify({ resourceSpans: [] }));
  await call("POST", "otel/v1/traces", { raw: gzipSync(doc), headers: { "content-type": "application/json", "content-encoding": "gzip" } });
  await call("POST", "otel/v1/traces", { status: 400, raw: "{", headers: { "content-type": "application/json" } });
  await call("POST", "otel/v1/traces", { status: 400, raw: "x", headers: { "content-type": "text/plain" } });
  await call("POST", "otel/v1/traces", { status: 401, auth: null, raw: doc, headers: { "content-type": "application/json" } });
});
await check("browser preflight is answered", async () => {
  const r = await fetch(URL_ + "/api/public/ingestion", { method: "OPTIONS", headers: { origin: "https://app.example.com", "access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type" } });
  has(r.status === 204 || r.status === 200, "status " + r.status);
  eq(r.headers.get("access-control-allow-origin"), "https://app.example.com", "origin");
});
await check("delete prompt and traces", async () => {
  await lf.prompt.delete(PROMPT);
  await call("GET", "v2/prompts/" + encodeURIComponent(PROMPT), { status: 404 });
  await lf.api.trace.deleteMultiple({ traceIds: [ids.trace] });
  await eventually(() => observations({ traceId: ids.trace }), (d) => d.length === 0, "deletion of rows");
  await eventually(() => scores({ traceId: ids.trace }), (d) => d.length === 0, "deletion of scores");
});

await sdk.shutdown();
await lf.shutdown();
for (const w of EXACT ? WANTED : []) {
  if (used.has(w)) continue;
  failed++;
  console.log(`FAIL  ${w}: no such check`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
