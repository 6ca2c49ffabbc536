import { expect, inject } from "vitest";
import { expectParam, journeys } from "../journey";

const { projects } = inject("world");
const at = (path: string) => `/project/${projects.large}${path}`;
const journey = journeys();

journey("the overview counts, and its range is in the address", {
  start: at(""),
  act: async ({ page }) => {
    await page.getByText("Latest errors").waitFor();
    await page.keyboard.press("t");
    await page.getByRole("button", { name: "7 days" }).click();
    await expectParam(page, "range", "7d");
  },
  kept: (page) => page.getByRole("heading").allInnerTexts(),
});

journey("a session is found and replayed turn by turn", {
  start: at("/sessions?range=7d"),
  act: async ({ page, settled }) => {
    await page.keyboard.press("/");
    await page.keyboard.type("visit-0042");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "visit-0042" }).click();
    await page.waitForURL(/\/sessions\/visit-0042/);
    await settled();
    await page.keyboard.press("j");
    await expectParam(page, "turn", /.+/);
  },
  kept: async (page) => [await page.getByRole("heading", { level: 1 }).innerText(), await page.getByRole("region", { name: "Transcript" }).innerText()],
});

journey("500 sessions are paged through by keys", {
  start: at("/sessions?range=7d"),
  act: async ({ page }) => {
    await page.getByRole("table").getByRole("row").nth(1).waitFor();
    await page.keyboard.press("j");
    for (let i = 0; i < 4; i++) await page.keyboard.press("PageDown");
    await expect.poll(() => page.evaluate(() => Number(document.activeElement?.getAttribute("aria-rowindex") ?? 0))).toBeGreaterThan(40);
  },
  kept: (page) => page.getByRole("heading", { level: 1 }).innerText(),
});

journey("a user shows what they did and cost", {
  start: at("/users?range=7d"),
  act: async ({ page }) => {
    await page.getByRole("link", { name: /^guest-\d\d$/ }).first().click();
    await page.waitForURL(/\/users\/guest-/);
    await page.getByText("Latest sessions").waitFor();
  },
  kept: (page) => page.getByRole("heading", { level: 1 }).innerText(),
});
