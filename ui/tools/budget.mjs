// Holds dist to its budgets: what a page needs before it shows anything, and what it may load later.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const assets = join(dist, "assets");
const names = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name));
const gzipped = new Map(names.map((name) => [name, gzipSync(readFileSync(join(assets, name)), { level: 9 }).length]));
const index = readFileSync(join(dist, "index.html"), "utf8");
const entry = [...index.matchAll(/assets\/([\w.-]+\.(?:js|css))"/g)].map((match) => match[1]);

/** A chunk with all that it imports at once, by name. What it imports on demand does not count. */
function closure(start, found = new Set()) {
  for (const name of start) {
    if (found.has(name)) continue;
    found.add(name);
    if (!name.endsWith(".js")) continue;
    const code = readFileSync(join(assets, name), "utf8");
    closure([...code.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)].map((match) => match[1]), found);
  }
  return found;
}

const chunk = (page) => {
  const name = names.find((candidate) => new RegExp(`^${page}-[\\w-]{8}\\.js$`).test(candidate));
  if (name === undefined) throw new Error(`dist has no chunk of ${page}`);
  return name;
};
const sum = (found, kind) => [...found].filter((name) => name.endsWith(kind)).reduce((size, name) => size + gzipped.get(name), 0);
const rawSize = (folder) => readdirSync(folder, { withFileTypes: true }).reduce((size, file) => {
  const path = join(folder, file.name);
  if (file.isDirectory()) return size + rawSize(path);
  return /\.(gz|br)$/.test(file.name) ? size : size + statSync(path).size;
}, 0);

const kb = 1024;
const first = closure(entry);
const largest = names.filter((name) => name.endsWith(".js") && !first.has(name)).toSorted((a, b) => gzipped.get(b) - gzipped.get(a))[0];
const budgets = [
  ["script of the list of traces", sum(closure([...entry, chunk("TracesPage")]), ".js"), 200 * kb],
  ["script of a trace", sum(closure([...entry, chunk("TracePage")]), ".js"), 210 * kb],
  ["style", sum(new Set(names), ".css"), 15 * kb],
  [`largest later chunk, ${largest}`, gzipped.get(largest), 130 * kb],
  ["everything, not compressed", rawSize(dist), 2048 * kb],
];
for (const [what, size, limit] of budgets) {
  console.log(`${size > limit ? "OVER" : "ok  "} ${(size / kb).toFixed(1).padStart(7)} of ${String(limit / kb).padStart(4)} KB  ${what}`);
}
if (budgets.some(([, size, limit]) => size > limit)) process.exit(1);
