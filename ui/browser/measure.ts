import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Figures are printed, so that a run that passes can be compared with others. */
export function say(what: string, value: number, limit?: number): void {
  process.stdout.write(`  ${what}: ${value.toFixed(value < 10 ? 2 : 0)}${limit === undefined ? "" : ` (limit ${limit.toFixed(0)})`}\n`);
}

export function hold(what: string, value: number, limit: number): void {
  say(what, value, limit);
  expect(value, what).toBeLessThan(limit);
}

/** How long the fixed work below takes on the machine that the limits were written for, in milliseconds. */
const usual = 180;

/** How much slower than that this machine is now; never below 1. Limits of time are multiplied by it. The work is of the kind
 * that is measured, a request to the server and a page with some thousand elements, and has nothing of ours in it: so whatever
 * slows the machine down slows it, too. */
export async function slowness(page: Page, url: string): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < 5; i++) {
    const begin = performance.now();
    await page.goto(`${url}/api/public/health`);
    await page.evaluate(async () => {
      for (let row = 0; row < 1500; row++) {
        const line = document.body.appendChild(document.createElement("div"));
        for (let cell = 0; cell < 3; cell++) line.appendChild(document.createElement("span")).textContent = `${row} and ${cell}`;
      }
      await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    });
    took.push(performance.now() - begin);
  }
  return Math.max(1, median(took) / usual);
}

export const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
export const p95 = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.ceil(list.length * 0.95) - 1]!;

/** Loads an address and says after how many milliseconds the first rows of the tree were painted, or all else that is looked for. */
export async function timeToRows(page: Page, address: string, looked: readonly string[] = ["[data-trace-rows] [role=treeitem]"]): Promise<number> {
  await page.goto("about:blank");
  await page.goto(address, { waitUntil: "commit" });
  return page.evaluate((selectors) => new Promise<number>((done) => {
    const look = () => (selectors.some((selector) => document.querySelector(selector) === null) ? requestAnimationFrame(look) : requestAnimationFrame(() => done(performance.now())));
    look();
  }), looked);
}

/** The longest time in milliseconds for which the page that is loaded answered nobody. */
export async function longestTask(page: Page): Promise<number> {
  return page.evaluate(() => new Promise<number>((done) => {
    let longest = 0;
    const look = (list: PerformanceObserverEntryList) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); };
    new PerformanceObserver(look).observe({ type: "longtask", buffered: true });
    setTimeout(() => done(longest), 200); // what is buffered comes at once, but later
  }));
}

/** How long each press of a key takes until the next frame shows another row as chosen. */
export async function keyToPaint(page: Page, presses: number): Promise<number[]> {
  return page.evaluate(async (count) => {
    const tree = document.querySelector<HTMLElement>("[data-trace-rows]")!;
    tree.focus();
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      await new Promise((rest) => setTimeout(rest, 50));
      const begin = performance.now();
      tree.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
      await new Promise((frame) => requestAnimationFrame(() => setTimeout(frame)));
      times.push(performance.now() - begin);
    }
    return times;
  }, presses);
}

/** Scrolls down by as much in every frame and says how long frames took. */
export async function scrollFrames(page: Page, scroller: string, frames: number, pixels: number): Promise<number[]> {
  return page.evaluate(async ([selector, count, step]) => {
    const box = document.querySelector<HTMLElement>(selector)!;
    const times: number[] = [];
    let last = performance.now();
    for (let i = 0; i < count; i++) {
      box.scrollTop += step;
      const now = await new Promise<number>((frame) => requestAnimationFrame(frame));
      times.push(now - last);
      last = now;
    }
    return times.slice(1);
  }, [scroller, frames, pixels] as const);
}

/** Types into the find of a trace and says how long it took until hits were counted. */
export async function timeToFind(page: Page, text: string): Promise<number> {
  return page.evaluate((words) => new Promise<number>((done) => {
    const input = document.querySelector<HTMLInputElement>("input[aria-label='Find in trace']")!;
    const begin = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(input, words);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    const look = () => (/\d hits?/.test(document.querySelector("main")!.textContent ?? "") ? requestAnimationFrame(() => done(performance.now() - begin)) : requestAnimationFrame(look));
    look();
  }), text);
}

/** Megabytes that are still needed, of objects of scripts and of what lies outside of them: arrays of numbers, elements. */
export async function heapSize(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const usage = await session.send("Runtime.getHeapUsage");
  return (usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize) / 1024 / 1024;
}

export const domSize = (page: Page) => page.evaluate(() => ({ nodes: document.querySelectorAll("*").length, rows: document.querySelectorAll("[data-trace-rows] [role=treeitem]").length }));
