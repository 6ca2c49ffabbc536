import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { read } from "./api";
import { expectParam, journeys, param } from "./journey";

const { url, projects, traces, experiments } = inject("world");
const [before, worse] = [experiments["gpt-4o, first prompt"]!, experiments["gpt-4o, sources"]!];
const diff = `/project/${projects.large}/traces/diff`;
const status = (page: Page) => page.locator("header").getByRole("status").first().innerText();
const table = (page: Page) => page.getByRole("table", { name: "Observations of both traces" });

const journey = journeys();

journey("two traces are compared, row by row, and nothing is cut off", {
  start: `${diff}?a=${traces["every-kind"]}&b=${traces["scripts-and-markup"]}`,
  act: async ({ page }) => {
    expect(await status(page)).toMatch(/\d+ changed, \d+ added, \d+ removed, \d+ the same/);
    await page.getByRole("switch", { name: "Only what differs" }).check();
    await expectParam(page, "only", "changes");
    await table(page).getByRole("row").nth(1).click();
    await expectParam(page, "row", /.+/);
    await page.getByRole("heading", { name: "Input" }).first().waitFor();
    expect(await table(page).evaluate((element) => element.parentElement!.scrollWidth - element.parentElement!.clientWidth)).toBe(0);
  },
  kept: status,
});

journey("two rows of the list are compared, the older one first", {
  start: `/project/${projects.large}/traces?range=7d`,
  act: async ({ page, settled }) => {
    const rows = page.getByRole("table").getByRole("row");
    for (const row of [1, 2]) await rows.nth(row).getByRole("checkbox").check();
    await page.getByRole("region", { name: "Selected rows" }).getByRole("link", { name: "Compare" }).click();
    await page.waitForURL(/traces\/diff/);
    await settled();
    const started = async (name: "a" | "b") => (await read(url, `/api/public/traces/${param(page, name)}`)).timestamp as string;
    expect(Date.parse(await started("a"))).toBeLessThanOrEqual(Date.parse(await started("b")));
    await table(page).waitFor();
  },
  kept: status,
});

journey("a trace is compared with the one before it of its name, and the sides are exchanged", {
  start: `/project/${projects.large}/traces?range=7d&q=${encodeURIComponent("name:support-agent")}`,
  act: async ({ page, settled }) => {
    const { data } = await read(url, "/api/public/traces?name=support-agent&limit=1");
    await page.goto(`/project/${projects.large}/traces/${data[0].id}`);
    await settled();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Compare with…" }).click();
    const dialog = page.getByRole("dialog", { name: "Compare with another trace" });
    await expect.poll(() => dialog.getByRole("radio", { name: "The trace before it of the same name" }).isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Compare", exact: true }).click();
    await expectParam(page, "b", data[0].id);
    const other = param(page, "a");
    await settled();
    await page.getByRole("button", { name: "Exchange A and B" }).click();
    await expectParam(page, "a", data[0].id);
    await expectParam(page, "b", other);
  },
  kept: status,
});

journey("an item of two experiments leads to its two traces, and what they say differently", {
  start: `/project/${projects.large}/experiments/results?baseline=${before}&c=${worse}&item=support-question-12`,
  act: async ({ page, settled }) => {
    await page.getByRole("dialog").getByRole("link", { name: "Compare the traces of A and B" }).click();
    await page.waitForURL(/traces\/diff/);
    await settled();
    await table(page).getByRole("row").nth(2).click();
    await expectParam(page, "row", /.+/);
    const details = page.getByRole("complementary", { name: "Details" });
    await details.getByRole("heading", { name: "answer" }).waitFor();
    await settled();
    await expect.poll(() => details.getByRole("region", { name: "Output" }).locator("ins, del").count()).toBeGreaterThan(0);
    await details.getByRole("link", { name: "Open in B" }).waitFor();
  },
  kept: (page) => page.getByRole("complementary", { name: "Details" }).getByRole("region", { name: "Output" }).innerText(),
});

journey("on a phone the details of a row open above it", {
  start: `${diff}?a=${traces["every-kind"]}&b=${traces["scripts-and-markup"]}`,
  size: "phone",
  act: async ({ page }) => {
    await table(page).getByRole("row").nth(1).click();
    await expectParam(page, "row", /.+/);
    await page.getByRole("dialog", { name: "Details" }).getByRole("heading", { name: "Output" }).waitFor();
  },
  kept: (page) => page.getByRole("dialog", { name: "Details" }).getByRole("heading", { level: 2 }).first().innerText(),
});
