import { expect, inject, test } from "vitest";
import { readText, until } from "./api";
import { sendTree } from "./bigTrace";
import { sharedBrowser } from "./journey";
import { domSize, heapSize, keyToPaint, median, p95, scrollFrames, slowness, timeToFind, timeToRows } from "./measure";
import { visit } from "./page";

const rows = Number(process.env.SONDE_MILLION ?? 1_000_000);
const { url, projects } = inject("world");
const shared = sharedBrowser(["--enable-precise-memory-info"]);

test("a trace of a million observations opens, scrolls and is searched", { timeout: 1_800_000 }, async () => {
  const say = (what: string, value: number | string) => process.stdout.write(`  ${what}: ${typeof value === "number" ? value.toFixed(0) : value}\n`);
  const traceId = "1e6".padEnd(32, "0");
  const complete = async () => JSON.parse((await readText(url, `/api/public/traces/${traceId}/skeleton`)).split("\n", 1)[0]!).observations === rows;
  if (!(await complete().catch(() => false))) { // a directory that is kept has it from the last run
    const begin = Date.now();
    await sendTree(url, traceId, rows);
    await until(complete, 600);
    say("seconds until all can be read", (Date.now() - begin) / 1000);
  }
  const { page, settled, close } = await visit(shared.browser);
  const slower = await slowness(page, url);
  say("slower than usual, times", slower.toFixed(2));
  const first = await timeToRows(page, `/project/${projects.large}/traces/${traceId}`);
  say("first rows in ms", first);
  await page.getByText(`${rows.toLocaleString("en")} observations`).waitFor({ timeout: 300_000 });
  say("all rows in ms", await page.evaluate(() => performance.now()));
  await settled();
  const heap = await heapSize(page);
  say("heap in MB", heap);
  say("key press to paint, p95 in ms", p95(await keyToPaint(page, 20)));
  say("scroll, median frame in ms", median(await scrollFrames(page, "[data-trace-rows]", 60, 1000)));
  say("find in ms", await timeToFind(page, "type:TOOL"));
  const mounted = await domSize(page);
  say("rows in the document", mounted.rows);
  expect(heap).toBeLessThan(500);
  expect(first).toBeLessThan(2000 * slower);
  expect(mounted.rows).toBeLessThanOrEqual(60);
  await close();
});
