// The rules that no linter knows: colours live in tokens.css, folders import one way, files stay short.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("../src", import.meta.url));
const maxLines = 300;
const findings = [];

/** "app" may import "features" and "shared", a feature only "shared", and shared nothing above it. */
function mayImport(from, to) {
  const [fromRoom, fromFeature] = from.split("/");
  const [toRoom, toFeature] = to.split("/");
  if (fromRoom === "shared") return toRoom === "shared";
  if (fromRoom === "features") return toRoom === "shared" || (toRoom === "features" && toFeature === fromFeature);
  return true;
}

for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(tsx?|css)$/.test(entry.name)) continue;
  const name = relative(src, join(entry.parentPath, entry.name));
  if (name === "shared/api/schema.d.ts") continue;
  const lines = readFileSync(join(src, name), "utf8").split("\n");
  if (lines.length > maxLines + 1) findings.push(`${name}: ${lines.length} lines, at most ${maxLines}`);
  lines.forEach((line, index) => {
    const at = `${name}:${index + 1}`;
    if (name !== "shared/ui/tokens.css" && /#[0-9a-f]{6}\b|\b(rgb|hsl|oklch)a?\(/i.test(line) && !name.includes(".test.")) {
      findings.push(`${at}: a colour outside of tokens.css`);
    }
    const imported = /from "@\/([^"]+)"|import\("@\/([^"]+)"\)/.exec(line);
    const target = imported?.[1] ?? imported?.[2];
    if (target !== undefined && !mayImport(name, target)) findings.push(`${at}: ${name.split("/")[0]} must not import ${target}`);
    if (name.startsWith("features/") && /from "\.\.\/\.\.\//.test(line)) findings.push(`${at}: reach other rooms by "@/"`);
  });
}

for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exit(1);
