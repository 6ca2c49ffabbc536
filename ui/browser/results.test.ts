import { beforeAll, expect, inject, test } from "vitest";
import { sharedBrowser } from "./journey";
import { regressionsOf, runId, sendRuns } from "./manyRuns";
import { hold, longestTask, median, p95, scrollFrames, slowness, timeToRows } from "./measure";
import { visit, type Visit } from "./page";

const [runs, items] = [5, Number(process.env.SONDE_RESULTS_ITEMS ?? 1000)];
const { url, projects } = inject("world");
const shared = sharedBrowser();
const others = Array.from({ length: runs - 1 }, (_, run) => `c=${runId(run + 1)}`).join("&");
const address = (more = "") => `/project/${projects.large}/experiments/results?baseline=${runId(0)}&${others}${more}`;
const grid = "[role=region][aria-label='Items, side by side']";
const opened = [`${grid} [role=rowheader] button`, "section[aria-label=Summary] td"];
let visited: Visit;

beforeAll(async () => {
  await sendRuns(url, runs, items);
  visited = await visit(shared.browser);
}, 600_000);

// A neighbor on the machine may take the time of one try.
test(`${runs} experiments of ${items} items open in time`, { retry: 2 }, async () => {
  const { page } = visited;
  const slower = await slowness(page, url);
  await timeToRows(page, address(), opened); // what the browser compiles once
  const times: number[] = [];
  const tasks: number[] = [];
  for (let i = 0; i < 5; i++) {
    times.push(await timeToRows(page, address(), opened));
    tasks.push(await longestTask(page));
  }
  process.stdout.write(`  slower than usual, times: ${slower.toFixed(2)}; all: ${times.map((time) => time.toFixed(0)).join(", ")}\n`);
  hold("results, summary and first items in ms", median(times), 1500 * slower);
  hold("results, longest task in ms", median(tasks), 250 * slower);
  await visited.settled();
  expect(await page.locator("header").getByRole("status").first().innerText()).toBe(`${items.toLocaleString("en")} items`);
});

test("their items scroll smoothly", { retry: 2 }, async () => {
  const { page, settled } = visited;
  const slower = await slowness(page, url);
  await page.goto(address());
  await settled();
  const frames = await scrollFrames(page, grid, 240, 60);
  hold("scroll, median frame in ms", median(frames), 17.5 * slower);
  hold("scroll, p95 frame in ms", p95(frames), 51 * slower);
});

test("the regressions among them are found, and nothing else", async () => {
  const { page, settled } = visited;
  await page.goto(address("&only=regressions&score=correct"));
  await settled();
  await expect.poll(() => page.locator("header").getByRole("status").first().innerText()).toBe(`${regressionsOf(items)} items`);
});
