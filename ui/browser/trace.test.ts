import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { read, sendSpans, tellSpan, until } from "./api";
import { expectParam, journeys, param, sharedBrowser } from "./journey";
import { visit } from "./page";

const { projects, traces, url } = inject("world");
const at = (name: string, more = "") => `/project/${projects.large}/traces/${traces[name]}${more}`;

const tree = (page: Page) => page.getByRole("tree", { name: "Observations" });
const chosen = (page: Page) => tree(page).getByRole("treeitem", { selected: true });
const chosenName = (page: Page) => chosen(page).innerText();
const details = (page: Page) => page.getByRole("complementary", { name: "Details" });
const window = async (page: Page) => [param(page, "t0"), param(page, "t1")];

const journey = journeys();

journey("the tree is walked by arrows", {
  start: at("every-kind"),
  act: async ({ page }) => {
    await tree(page).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    expect(await chosen(page).getAttribute("aria-level")).toBe("2");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await chosen(page).getAttribute("aria-expanded")).toBe("false");
    await expect.poll(() => tree(page).getByRole("treeitem").count()).toBe(1);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("End");
    await expectParam(page, "observation", /.+/);
  },
  kept: chosenName,
});

journey("the time axis is zoomed by keys", {
  start: at("every-kind"),
  act: async ({ page }) => {
    await tree(page).focus();
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await expectParam(page, "t0", /^\d+$/);
    const zoomed = await window(page);
    await page.keyboard.press("-");
    await expect.poll(() => window(page)).not.toEqual(zoomed);
  },
  kept: window,
});

journey("a part of the overview that is dragged over becomes the window", {
  start: at("long-run-10k"),
  act: async ({ page }) => {
    const box = (await page.getByRole("img", { name: /^Overview of/ }).boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.2, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 10, { steps: 5 });
    await page.mouse.up();
    await expectParam(page, "t0", /^\d+$/);
    await expectParam(page, "t1", /^\d+$/);
  },
  kept: window,
});

journey("find filters the rows, and its hits are walked by keys", {
  start: at("long-run-10k"),
  act: async ({ page }) => {
    await page.keyboard.press("/");
    await page.keyboard.type("level:ERROR");
    await expectParam(page, "q", "level:ERROR");
    await page.getByText(/^\d+ hits$/).first().waitFor();
    await page.keyboard.press("Enter");
    await expectParam(page, "observation", /.+/);
    const first = param(page, "observation");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("n");
    await expect.poll(() => param(page, "observation")).not.toBe(first);
  },
  kept: async (page) => [await page.getByRole("textbox", { name: "Find in trace" }).inputValue(), await chosenName(page)],
});

journey("find looks into inputs and outputs on the server", {
  start: at("look-at-picture"),
  act: async ({ page }) => {
    await page.keyboard.press("/");
    await page.keyboard.type("broken");
    await page.getByText(/^1 hit$/).first().waitFor();
  },
  kept: (page) => tree(page).getByRole("treeitem").count(),
});

journey("the next error has a key", {
  start: at("long-run-10k"),
  act: async ({ page }) => {
    await tree(page).focus();
    await page.keyboard.press("e");
    await expectParam(page, "observation", /.+/);
    await chosen(page).getByTitle("ERROR").waitFor();
  },
  kept: chosenName,
});

journey("views and tabs of details are in the address", {
  start: at("every-kind"),
  act: async ({ page }) => {
    await tree(page).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("2");
    await expectParam(page, "view", "tree");
    await page.keyboard.press("m");
    await expectParam(page, "tab", "metadata");
  },
  kept: async (page) => [await page.getByRole("radio", { name: "Tree" }).isChecked(), await details(page).getByRole("tab", { selected: true }).innerText()],
});

journey("1,400 levels open at the deepest", {
  start: at("recursive-agent"),
  act: async ({ page }) => {
    await tree(page).focus();
    await page.keyboard.press("End");
    await expect.poll(() => chosen(page).getAttribute("aria-level")).toBe("1400");
    await expectParam(page, "observation", /.+/);
  },
  kept: chosenName,
});

journey("two roots are named as a fault", {
  start: at("two-roots"),
  act: async ({ page }) => page.getByText("This trace has 2 roots").waitFor(),
  kept: (page) => tree(page).getByRole("treeitem", { level: 1 }).count(),
});

journey("rows without their root hang below a row of their own", {
  start: at("no-root"),
  act: async ({ page }) => page.getByText(/name a parent that is not in this trace/).waitFor(),
  kept: (page) => tree(page).getByRole("treeitem").count(),
});

journey("an input of 20 MB opens, and only what is on screen is drawn", {
  start: at("heavy-input"),
  act: async ({ page }) => {
    await tree(page).getByRole("treeitem").first().click();
    await details(page).getByRole("button", { name: "Load all of it" }).click();
    const json = details(page).getByRole("tree", { name: "Input" });
    const rows = json.getByRole("treeitem", { name: /^rows:/ });
    await rows.waitFor({ timeout: 30_000 });
    if ((await rows.getAttribute("aria-expanded")) === "false") await rows.click();
    await json.getByRole("treeitem", { name: /^199:/ }).or(json.getByRole("treeitem", { name: /^1:/ })).first().waitFor();
    expect(await json.getByRole("treeitem").count()).toBeLessThan(60);
    await expectParam(page, "observation", /.+/);
  },
  kept: chosenName,
});

journey("a trace is found by its id alone, and keeps the rest of the address", {
  start: `/trace/${traces["every-kind"]}?view=tree`,
  act: async ({ page }) => {
    await page.waitForURL(new RegExp(`/project/${projects.large}/traces/${traces["every-kind"]}`));
    await expectParam(page, "view", "tree");
  },
  kept: (page) => page.getByRole("radio", { name: "Tree" }).isChecked(),
});

journey("on a phone a row opens its details in a sheet", {
  start: at("every-kind"), size: "phone", touch: true,
  act: async ({ page }) => {
    await tree(page).getByRole("treeitem").nth(2).tap();
    await page.getByRole("dialog", { name: "Details" }).waitFor();
    await expectParam(page, "observation", /.+/);
  },
  kept: (page) => page.getByRole("dialog", { name: "Details" }).getByRole("heading", { level: 2 }).allInnerTexts(),
});

const shared = sharedBrowser();

test("a running trace grows while it is looked at", async () => {
  const traceId = "ab".repeat(15) + Math.floor(Math.random() * 256).toString(16).padStart(2, "0");
  const start = Date.now();
  const rootId = "00000000000000a1";
  await tellSpan(url, "POST", { id: rootId, traceId, name: "running agent", startTime: new Date(start).toISOString() });
  await until(async () => (await read(url, `/api/public/v2/observations?traceId=${traceId}&fields=core`)).data.length === 1);
  const { page, settled, close, faults } = await visit(shared.browser, { clock: "real" });
  await page.goto(`/project/${projects.large}/traces/${traceId}`);
  await settled();
  await page.getByText("live", { exact: true }).waitFor();
  expect(await tree(page).getByRole("treeitem").count()).toBe(1);
  await sendSpans(url, [{ traceId, spanId: "00000000000000a2", parentSpanId: rootId, name: "a step", start: start + 5, end: start + 900 }]);
  await tree(page).getByRole("treeitem").filter({ hasText: "a step" }).waitFor({ timeout: 20_000 });
  await page.getByRole("button", { name: "1 new" }).click();
  await expectParam(page, "observation", "00000000000000a2");
  await tellSpan(url, "PATCH", { spanId: rootId, traceId, endTime: new Date(start + 1000).toISOString() });
  await page.getByText("live", { exact: true }).waitFor({ state: "detached", timeout: 20_000 });
  expect(faults).toEqual([]);
  await close();
});
