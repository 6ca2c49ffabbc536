import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { expectParam, journeys, param, sharedBrowser } from "./journey";
import { visit } from "./page";

const { projects } = inject("world");
const list = `/project/${projects.large}/traces`;
const observations = `/project/${projects.large}/observations`;

const query = (page: Page) => page.getByRole("combobox", { name: "Query" });
const table = (page: Page) => page.getByRole("table").first();
const count = (page: Page) => page.getByRole("status").filter({ hasText: "rows" }).first().innerText();
const rowsAndQuery = async (page: Page) => [await count(page), await query(page).inputValue()];
const openPeek = (page: Page) => page.getByRole("region", { name: "Selected row" });

const journey = journeys();

journey("a query is written by keys", {
  start: `${list}?range=7d`,
  act: async ({ page, settled }) => {
    const all = await count(page);
    await page.keyboard.press("/");
    await page.keyboard.type("level:ERROR");
    await page.keyboard.press("Enter");
    await expectParam(page, "q", "level:ERROR");
    await settled();
    expect(await count(page)).not.toBe(all);
    expect(await count(page)).not.toBe("0 rows");
  },
  kept: rowsAndQuery,
});

journey("a value of the sidebar joins the query, and leaves it as an exclusion", {
  start: `${observations}?range=7d`,
  act: async ({ page }) => {
    const filters = page.getByRole("complementary", { name: "Filters" });
    await filters.getByRole("checkbox", { name: "Only TOOL", exact: true }).check();
    await expectParam(page, "q", "type:TOOL");
    await filters.getByRole("button", { name: "Exclude TOOL", exact: true }).click();
    await expectParam(page, "q", "-type:TOOL");
  },
  kept: rowsAndQuery,
});

journey("a stretch of the histogram that is dragged over becomes the time range", {
  start: `${list}?range=7d`,
  act: async ({ page }) => {
    const box = (await page.getByRole("slider", { name: /^Rows over time/ }).boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await expectParam(page, "range", /^2026-04-2\d.*\.\.2026-04-2\d/);
  },
  kept: rowsAndQuery,
});

journey("a stretch of the histogram is marked by keys", {
  start: `${list}?range=7d`,
  act: async ({ page }) => {
    await page.getByRole("slider", { name: /^Rows over time/ }).focus();
    await page.keyboard.press("ArrowLeft");
    for (let i = 0; i < 10; i++) await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Enter");
    await expectParam(page, "range", /^2026-04-\d\d.*\.\.2026-0/);
  },
  kept: rowsAndQuery,
});

journey("a column is added", {
  start: list,
  act: async ({ page }) => {
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("textbox", { name: "Find a column" }).fill("release");
    await page.getByRole("checkbox", { name: "Release", exact: true }).check();
    await expectParam(page, "cols", /release/);
    await page.keyboard.press("Escape");
  },
  kept: (page) => table(page).getByRole("columnheader").allInnerTexts(),
});

journey("a list is kept as a view and opened by its link", {
  start: `${list}?q=${encodeURIComponent("name:support-agent")}&range=7d`,
  act: async ({ page }) => {
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save as a new view" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Support");
    await page.keyboard.press("Enter");
    await expectParam(page, "view", /.+/);
    const view = param(page, "view")!;
    await page.goto(`${list}?view=${view}`);
    await page.getByRole("button", { name: "Support", exact: true }).waitFor();
    await expect.poll(() => query(page).inputValue()).toBe("name:support-agent");
  },
  kept: rowsAndQuery,
});

journey("rows are looked at beside the list by keys", {
  start: list,
  act: async ({ page }) => {
    await table(page).getByRole("row").nth(1).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Space");
    await expectParam(page, "peek", /.+/);
    const first = param(page, "peek");
    await openPeek(page).waitFor();
    await page.keyboard.press("Shift+J");
    await expect.poll(() => param(page, "peek")).not.toBe(first);
  },
  kept: (page) => openPeek(page).getByRole("heading", { level: 2 }).innerText(),
});

journey("a row looked at by a press is closed by Escape, and the list has the keys again", {
  start: list,
  act: async ({ page }) => {
    await table(page).getByRole("row").nth(3).getByRole("cell").last().click();
    await openPeek(page).waitFor();
    await page.keyboard.press("Escape");
    await expectParam(page, "peek", null);
    await openPeek(page).waitFor({ state: "detached" });
  },
  kept: rowsAndQuery,
});

journey("a row is opened by Enter, and the next trace of the list by its key", {
  start: list,
  act: async ({ page, settled }) => {
    await table(page).getByRole("row").nth(1).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
    const first = page.url();
    await settled();
    await page.getByRole("tree", { name: "Observations" }).getByRole("treeitem").first().waitFor();
    await page.keyboard.press("Shift+J");
    await expect.poll(() => page.url()).not.toBe(first);
  },
  kept: (page) => page.getByRole("tree", { name: "Observations" }).getByRole("treeitem").count(),
});

journey("the time range is chosen by keys", {
  start: list,
  act: async ({ page }) => {
    await page.keyboard.press("t");
    await page.getByRole("button", { name: "7 days" }).press("Enter");
    await expectParam(page, "range", "7d");
  },
  kept: rowsAndQuery,
});

journey("errors are compared with the rest", {
  start: `${list}?range=7d`,
  act: async ({ page }) => {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Compare errors with the rest" }).click();
    await expectParam(page, "cmp", "level:ERROR");
  },
  kept: rowsAndQuery,
});

journey("an empty result says which condition to do without", {
  start: `${list}?range=7d&q=${encodeURIComponent("name:support-agent level:DEBUG")}`,
  act: async ({ page }) => {
    const culprit = page.getByRole("listitem").filter({ hasText: "level:DEBUG" });
    await culprit.getByRole("button", { name: "Remove it" }).click();
    await expectParam(page, "q", "name:support-agent");
  },
  kept: rowsAndQuery,
});

journey("a query that cannot be read says where it is wrong", {
  start: `${list}?q=${encodeURIComponent("latency:>soon")}`,
  act: async ({ page }) => {
    await page.getByText("The query cannot be read at").waitFor();
  },
  kept: (page) => query(page).inputValue(),
});

journey("presets keep the time range", {
  start: `${list}?range=30d`,
  act: async ({ page }) => {
    await page.getByRole("link", { name: "All observations" }).click();
    await page.waitForURL(/\/observations/);
    await expectParam(page, "range", "30d");
  },
  kept: rowsAndQuery,
});

journey("on a phone the list has cards, and filters in a sheet", {
  start: `${list}?range=7d`, size: "phone", touch: true,
  act: async ({ page }) => {
    await page.getByRole("button", { name: "Show filters" }).tap();
    await page.getByRole("dialog", { name: "Filters" }).getByRole("checkbox", { name: "Only ERROR", exact: true }).check();
    await expectParam(page, "q", "level:ERROR");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  },
  kept: (page) => query(page).inputValue(),
});

journey("values that look like numbers stay texts in the address", {
  start: `${list}?q=1e400&peek=12345678901234567890&range=30d`,
  act: async ({ page }) => {
    expect([param(page, "q"), param(page, "peek"), param(page, "range")]).toEqual(["1e400", "12345678901234567890", "30d"]);
  },
  kept: (page) => query(page).inputValue(),
});

const shared = sharedBrowser();

test.each([["traces", list], ["observations", observations]])("the list of %s asks for data four times", async (_, address) => {
  const { page, calls, settled, close } = await visit(shared.browser);
  await page.goto(address);
  await settled();
  expect(ofPage(calls)).toEqual(["/api/public/facets", "/api/public/histogram", "/api/public/previews", "/api/public/v2/observations"]);
  await close();
});

/** Without the session, which every page asks for once. */
const ofPage = (calls: readonly string[]) => calls.filter((path) => path !== "/api/ui/session").sort();
