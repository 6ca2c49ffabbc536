import type { Page } from "playwright-core";

/** How long a fixed amount of work takes on the machine that the limits were written for, in milliseconds. */
const usual = 180;

/** How much slower than that this machine is now; never below 1. Limits of time are multiplied by it. */
export async function slowness(page: Page): Promise<number> {
  await page.goto("about:blank");
  const took = await page.evaluate(() => {
    const runs = Array.from({ length: 5 }, () => {
      const begin = performance.now();
      let sum = 0;
      for (let i = 1; i < 30_000_000; i++) sum = (sum * 31 + i) % 1_000_003;
      return performance.now() - begin + (sum < 0 ? 1 : 0);
    });
    return runs.toSorted((a, b) => a - b)[2]!;
  });
  return Math.max(1, took / usual);
}

export const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
export const p95 = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.ceil(list.length * 0.95) - 1]!;

/** Loads an address and says after how many milliseconds the first rows of the tree were painted. */
export async function timeToRows(page: Page, address: string): Promise<number> {
  await page.goto("about:blank");
  await page.goto(address, { waitUntil: "commit" });
  return page.evaluate(() => new Promise<number>((done) => {
    const look = () => (document.querySelector("[data-trace-rows] [role=treeitem]") === null ? requestAnimationFrame(look) : requestAnimationFrame(() => done(performance.now())));
    look();
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
export async function scrollFrames(page: Page, frames: number, pixels: number): Promise<number[]> {
  return page.evaluate(async ([count, step]) => {
    const tree = document.querySelector<HTMLElement>("[data-trace-rows]")!;
    const times: number[] = [];
    let last = performance.now();
    for (let i = 0; i < count; i++) {
      tree.scrollTop += step;
      const now = await new Promise<number>((frame) => requestAnimationFrame(frame));
      times.push(now - last);
      last = now;
    }
    return times.slice(1);
  }, [frames, pixels] as const);
}

/** Types into the find of a trace and says how long it took until hits were counted. */
export async function timeToFind(page: Page, text: string): Promise<number> {
  return page.evaluate((words) => new Promise<number>((done) => {
    const input = document.querySelector<HTMLInputElement>("input[aria-label='Find in trace']")!;
    const begin = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(input, words);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    const look = () => (/\d hits?\b/.test(document.querySelector("main")!.textContent ?? "") ? requestAnimationFrame(() => done(performance.now() - begin)) : requestAnimationFrame(look));
    look();
  }), text);
}

/** Megabytes of script objects that are still needed. */
export async function heapSize(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1024 / 1024;
}

export const domSize = (page: Page) => page.evaluate(() => ({ nodes: document.querySelectorAll("*").length, rows: document.querySelectorAll("[data-trace-rows] [role=treeitem]").length }));
