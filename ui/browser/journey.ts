import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, visit, type Visit, type VisitOptions } from "./page";

/** Runs in the page: nothing makes it scroll sideways. */
export const sideways = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

export interface Journey extends VisitOptions {
  start: string;
  /** What somebody does, and what they see then. */
  act: (visit: Visit) => Promise<void>;
  /** What must be the same after the page is loaded again from its address. */
  kept: (page: Page) => Promise<unknown>;
}

/** Journeys of one file share a browser. Each begins at an address and ends in a state that the address alone brings back. */
export function journeys(): (name: string, journey: Journey) => void {
  const shared = sharedBrowser();
  return (name, { start, act, kept, ...options }) =>
    test(name, async () => {
      const visited = await visit(shared.browser, options);
      const { page, settled, faults } = visited;
      await page.goto(start);
      await settled();
      await act(visited);
      await settled();
      const [address, before] = [page.url(), await kept(page)];
      await page.reload();
      await settled();
      await expect.poll(() => kept(page)).toEqual(before);
      expect(page.url()).toBe(address);
      expect(await page.evaluate(sideways)).toBe(0);
      expect(faults).toEqual([]);
      await visited.close();
    });
}

/** One browser for the tests of a file. */
export function sharedBrowser(flags: string[] = []): { browser: Browser } {
  const shared = {} as { browser: Browser };
  beforeAll(async () => {
    shared.browser = await launch(flags);
  });
  afterAll(() => shared.browser.close());
  return shared;
}

/** The value of a parameter of the page's address. */
export const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

/** Waits until a parameter of the address is like that. */
export const expectParam = (page: Page, name: string, value: string | RegExp | null) => {
  const poll = expect.poll(() => param(page, name));
  return value instanceof RegExp ? poll.toMatch(value) : poll.toBe(value);
};
