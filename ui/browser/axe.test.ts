import axe from "axe-core";
import type { Page } from "playwright-core";
import { inject, test } from "vitest";
import { sharedBrowser } from "./journey";
import { sizes, themes, visit, type Visit } from "./page";
import { components, openKeys, type Route, routes } from "./routes";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** What a theme can change: all else was seen in the first one. */
const ofTheme = ["color-contrast", "link-in-text-block"];
const shared = sharedBrowser();

/** Every state of a page in both themes and at both widths, without loading it anew in between. */
async function check({ page, settled }: Visit): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axe.source);
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    await settled();
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) found.push(`${name}: scrolls sideways by ${over} px`);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      for (const fault of await violations(page, theme === themes[0] ? tags : ofTheme)) found.push(`${theme}, ${name}: ${fault}`);
    }
  }
  return found;
}

async function violations(page: Page, runOnly: string[]): Promise<string[]> {
  const { violations: list } = await page.evaluate((only) => (window as unknown as { axe: typeof axe }).axe.run({ runOnly: only, resultTypes: ["violations"] }), runOnly);
  return list.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary?.replace(/\s+/g, " ")}`));
}

async function openAt(address: string, { stranger, url }: Route, before?: (page: Page) => Promise<void>): Promise<Visit> {
  const visited = await visit(shared.browser, { stranger, url });
  await before?.(visited.page);
  await visited.page.goto(address);
  await visited.settled();
  return visited;
}

async function refuse(page: Page, pattern: string): Promise<void> {
  await page.route(pattern, (route) => route.fulfill({ status: 503, contentType: "application/json", headers: { "X-Request-Id": "req-1" }, body: JSON.stringify({ message: "The store has no room.", error: "UNAVAILABLE" }) }));
}

// Several pages at once: each waits for its server most of the time.
for (const route of [...routes(inject("world")), components(inject("world"))]) {
  test.concurrent(`${route.name}: with data`, async ({ expect }) => {
    const visited = await openAt(route.data, route);
    expect(await check(visited)).toEqual([]);
    await visited.close();
  });

  const { empty, fails = "**/api/public/**", fail, dialog = openKeys } = route;
  if (empty !== undefined) {
    test.concurrent(`${route.name}: empty`, async ({ expect }) => {
      const visited = await openAt(empty, route);
      expect(await check(visited)).toEqual([]);
      await visited.close();
    });
  }
  if (fails !== null || fail !== undefined) {
    test.concurrent(`${route.name}: with an error`, async ({ expect }) => {
      const visited = await openAt(route.data, route, (page) => (fails === null ? Promise.resolve() : refuse(page, fails)));
      await fail?.(visited.page);
      expect(await check(visited)).toEqual([]);
      await visited.close();
    });
  }
  if (dialog !== null) {
    test.concurrent(`${route.name}: with a dialog`, async ({ expect }) => {
      const visited = await openAt(route.data, route);
      await dialog(visited.page);
      expect(await check(visited)).toEqual([]);
      await visited.close();
    });
  }
}
