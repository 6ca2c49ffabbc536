// Shared by the JS journeys: plain HTTP reads, polling, one line per check.
// CHECKS and JOURNEY select which checks count, as in checks.py.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
export const HOST = (process.env.LANGFUSE_HOST ?? "http://localhost:3000").replace(/\/$/, "");
export const { LANGFUSE_PUBLIC_KEY: PK, LANGFUSE_SECRET_KEY: SK } = process.env;
const FIELDS = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context";
let passed = 0, failed = 0;
const { CHECKS = "", JOURNEY } = process.env;
const EXACT = CHECKS.startsWith("@");
const parts = EXACT
  ? readFileSync(CHECKS.slice(1), "utf8").split("\n").filter((l) => l.startsWith(JOURNEY + ":")).map((l) => l.slice(JOURNEY.length + 1).trim())
  : CHECKS.split(",").map((p) => p.trim()).filter(Boolean);
const WANTED = EXACT || parts.length ? new Set(parts) : null;
const used = new Set();
function wanted(name) {
  if (!WANTED) return true;
  const by = [...WANTED].filter((w) => (EXACT ? w === name : name.includes(w)));
  by.forEach((w) => used.add(w));
  return by.length > 0;
}
export async function get(path, params = {}) {
  try {
    const r = await fetch(`${HOST}${path}?${new URLSearchParams(params)}`, { headers: { Authorization: "Basic " + Buffer.from(`${PK}:${SK}`).toString("base64") }, signal: AbortSignal.timeout(5000) });
    return r.ok ? await r.json() : { data: [] };
  } catch { return { data: [] }; }
}
export async function poll(fn, ok, seconds = 5) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const r = await fn();
    if (ok(r) || Date.now() >= end) return r;
    await new Promise((f) => setTimeout(f, 100));
  }
}
const byId = (d) => Object.fromEntries((d.data ?? []).map((x) => [x.id, x]));
export const observations = async (traceId) => byId(await get("/api/public/v2/observations", { traceId, fields: FIELDS, limit: 100 }));
export const scores = async (traceId) => byId(await get("/api/public/v3/scores", { traceId, fields: "details,subject", limit: 100 }));
export const io = (t) => { try { return JSON.parse(t); } catch { return t; } };
export const pick = (o, ...ks) => ks.map((k) => o?.[k]);
export function check(name, got, want = true) {
  const good = isDeepStrictEqual(got, want);
  if (!wanted(name)) return good;
  good ? passed++ : failed++;
  console.log((good ? "ok   " : "FAIL ") + name + (good ? "" : `: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`));
  return good;
}
export async function step(name, fn) {
  try { const r = await fn(); check(name, true); return r; }
  catch (e) { check(name, String(e).slice(0, 300), "no exception"); }
}
export function finish() {
  for (const name of EXACT ? WANTED : []) {
    if (used.has(name)) continue;
    failed++;
    console.log(`FAIL ${name}: there is no such check`);
  }
  console.log(`${passed} passed, ${failed} failed`); 
  process.exit(failed ? 1 : 0);
}
