import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// The binary serves files as they are stored: compressing happens here, once. Only what was written is final: Vite still
// puts the list of preloads into chunks after every generateBundle.
function precompress(): Plugin {
  return {
    name: "precompress",
    apply: "build",
    async writeBundle({ dir }, bundle) {
      for (const fileName of Object.keys(bundle)) {
        if (dir === undefined || !/\.(js|css|svg)$/.test(fileName)) continue;
        const path = join(dir, fileName);
        const source = await readFile(path);
        if (source.length < 1024) continue;
        await writeFile(`${path}.gz`, gzipSync(source, { level: 9 }));
        await writeFile(`${path}.br`, brotliCompressSync(source, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
      }
    },
  };
}

// What every page loads anyway. Left alone, each further page splits it by what it happens to use, which costs size and requests.
const everywhere = /node_modules\/(react|react-dom|scheduler|openapi-fetch|@tanstack\/(react-router|router-core|history|store|react-store|react-query|query-core))\/|src\/shared\/(api|lib)\/(client|errors|session|classes|search|time|format|useNow|preferences)\./;

// Small parts of many pages travel together: a page of forty files waits for its browser's six connections. Layers, which open
// at a press, and charts stay with those who use them.
const parts = /src\/shared\/(ui\/(?!Menu|Dialog|AlertDialog|Sheet|Select|Popover|Tabs|Combobox|MultiSelect|Chart)|lib|api|table|filter)|lucide-react/;

export default defineConfig({
  // Relative: index.html carries a <base> that the server sets, so one build works under any path.
  base: "./",
  plugins: [react(), tailwindcss(), precompress()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023", sourcemap: false, modulePreload: { polyfill: false }, assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "base", test: everywhere }, { name: "parts", test: parts, minShareCount: 12 }] } } },
  },
  server: { proxy: { "/api": process.env.SONDE_URL ?? "http://127.0.0.1:3000" } },
  test: {
    reporters: ["default", "./tools/count.mjs"],
    projects: [
      // Property tests take their time on a busy machine.
      { extends: true, test: { name: "unit", testTimeout: 30_000, environment: "node", include: ["src/**/*.test.{ts,tsx}"] } },
      browserProject("browser", "browser/**/*.test.ts"),
      browserProject("million", "browser/million.ts"),
      browserProject("shots", "browser/shots.ts"),
    ],
  },
});

/** Checks in a real browser against the built binary, one file after the other: what they measure must have the machine to itself.
 * Each may fail once: a neighbor on the machine can take the time of one try. */
function browserProject(name: string, include: string) {
  return { extends: true as const, test: { name, include: [include], globalSetup: "browser/setup.ts", environment: "node" as const, fileParallelism: false, maxConcurrency: 3, sequence: { groupOrder: 1 }, retry: 1, testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 15_000 } } } };
}
