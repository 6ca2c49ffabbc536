import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { signIn } from "./api";
import { journeys, sharedBrowser } from "./journey";
import { visit } from "./page";

const { projects, traces, url } = inject("world");
const list = `/project/${projects.large}/traces`;
const heading = (page: Page) => page.getByRole("heading", { level: 1 }).first().innerText();
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+K");
  await page.getByRole("dialog", { name: "Search and commands" }).waitFor();
}

const journey = journeys();

journey("the palette leads to a page by its name", {
  start: list,
  act: async ({ page }) => {
    await openPalette(page);
    await page.keyboard.type("observ");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/observations$/);
  },
  kept: heading,
});

journey("the palette leads to a trace by its id", {
  start: list,
  act: async ({ page }) => {
    await openPalette(page);
    await page.keyboard.insertText(traces["two-roots"]!);
    await page.getByRole("option", { name: /^Open trace/ }).click();
    await page.waitForURL(new RegExp(`/traces/${traces["two-roots"]}`));
  },
  kept: heading,
});

journey("two keys lead to the pages of a project", {
  start: list,
  act: async ({ page }) => {
    for (const [key, path] of [["s", "sessions"], ["u", "users"], ["b", "observations"], ["t", "traces"]] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.waitForURL(new RegExp(`/${path}$`));
    }
  },
  kept: heading,
});

journey("the sheet of keys opens by ?, and one switch turns single keys off", {
  start: list,
  act: async ({ page }) => {
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await sheet.getByRole("switch", { name: /without Ctrl/ }).press("Space");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.waitForTimeout(300);
    expect(await sheet.count()).toBe(0);
  },
  kept: async (page) => {
    await page.keyboard.press("?");
    await page.waitForTimeout(300);
    return page.getByRole("dialog").count();
  },
});

journey("the theme is chosen from the menu of the person", {
  start: list,
  act: async ({ page }) => {
    await page.getByRole("button", { name: /account and appearance/ }).click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await page.keyboard.press("Escape");
  },
  kept: (page) => page.evaluate(() => document.documentElement.dataset.theme),
});

journey("the keyboard reaches the content first, past the sidebar", {
  start: list,
  act: async ({ page }) => {
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Skip to content" }).press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  },
  kept: heading,
});

journey("a layer gives the focus back when it closes", {
  start: list,
  act: async ({ page }) => {
    const columns = page.getByRole("button", { name: "Columns" });
    await columns.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Find a column" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => columns.evaluate((button) => button === document.activeElement)).toBe(true);
  },
  kept: heading,
});

journey("another project is one choice away", {
  start: list,
  act: async ({ page }) => {
    await openPalette(page);
    await page.keyboard.type("Small");
    await page.getByRole("option", { name: /Small/ }).click();
    await page.waitForURL(new RegExp(`/project/${projects.small}`));
  },
  kept: heading,
});

const shared = sharedBrowser();

test("who signs out sees nothing any more, and comes back to where they were", async () => {
  const member = await signIn(url); // a session of its own: the shared one goes on
  const { page, settled, close } = await visit(shared.browser, { stranger: true });
  const [name, value] = member.cookie.split("=");
  await page.context().addCookies([{ name: name!, value: value!, url }]);
  await page.goto(list);
  await settled();
  await page.getByRole("button", { name: /account and appearance/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/auth\/sign-in/);
  await page.goto(`${list}?range=7d`);
  await page.waitForURL(/\/auth\/sign-in/);
  expect(new URL(page.url()).searchParams.get("next")).toContain("/traces?range=7d");
  await close();
});
