import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { expectParam, journeys } from "./journey";

const { projects } = inject("world");
const usage = `/project/${projects.large}/dashboards/usage`;

const tile = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const number = (page: Page, name: string) => tile(page, name).getByRole("button", { name: /Show the rows$/ });

const journey = journeys();

journey("a filter changes every tile, and stays in the address", {
  start: `${usage}?range=7d`,
  act: async ({ page, settled }) => {
    const all = await number(page, "Cost").innerText();
    await page.getByRole("combobox", { name: "Filter of all tiles" }).fill("level:ERROR");
    await page.keyboard.press("Enter");
    await expectParam(page, "q", "level:ERROR");
    await settled();
    expect(await number(page, "Cost").innerText()).not.toBe(all);
  },
  kept: async (page) => [await number(page, "Cost").innerText(), await page.getByRole("combobox", { name: "Filter of all tiles" }).inputValue()],
});

journey("a number leads to the rows behind it, and their count is the number", {
  start: `${usage}?range=7d`,
  act: async ({ page, settled }) => {
    const traces = await number(page, "Traces").innerText();
    await number(page, "Traces").press("Enter");
    await page.waitForURL(/\/observations\?/);
    await expectParam(page, "q", "isRootObservation:true");
    await settled();
    expect(await page.getByRole("status").filter({ hasText: "rows" }).first().innerText()).toBe(`${traces} rows`);
  },
  kept: (page) => page.getByRole("status").filter({ hasText: "rows" }).first().innerText(),
});

journey("a chart is read as a table, and a cell leads to its rows", {
  start: `${usage}?range=7d`,
  act: async ({ page }) => {
    await page.getByRole("button", { name: "View Cost by model as table" }).press("Enter");
    await tile(page, "Cost by model").getByRole("table").getByRole("button").first().press("Enter");
    await page.waitForURL(/\/observations\?/);
    await expectParam(page, "q", /^model:/);
  },
  kept: (page) => page.getByRole("combobox", { name: "Query" }).inputValue(),
});

journey("tiles are moved, sized and added by keys, and the dashboard is kept", {
  start: `/project/${projects.large}/dashboards`,
  act: async ({ page, settled }) => {
    await page.getByRole("button", { name: "New dashboard" }).click();
    await page.waitForURL(/edit=1/);
    await page.getByLabel("Name").fill("Mine");
    for (const kind of ["number", "line"]) {
      await page.getByRole("button", { name: "Add tile" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New tile" });
      await dialog.getByLabel("Title").fill(`A ${kind}`);
      await dialog.getByLabel("Shown as").selectOption(kind);
      await dialog.getByRole("button", { name: "Add tile" }).click();
    }
    await page.getByRole("button", { name: /^Size of A number/ }).press("ArrowRight");
    await page.getByRole("button", { name: /^Move A line/ }).press("ArrowRight");
    await page.getByRole("button", { name: "Save" }).click();
    await expectParam(page, "edit", null);
    await settled();
  },
  kept: async (page) => [await page.getByRole("heading", { level: 1 }).innerText(), await page.getByRole("list", { name: "Tiles" }).getByRole("listitem").count()],
});

journey("an alert is made from a tile, shown with its state, and deleted", {
  start: `${usage}?range=7d`,
  act: async ({ page }) => {
    await page.getByRole("button", { name: "Actions of Traces" }).click();
    await page.getByRole("menuitem", { name: "Create an alert" }).click();
    const dialog = page.getByRole("dialog", { name: "Alert on Traces" });
    await dialog.getByLabel("Name").fill("Few traces");
    await dialog.getByLabel("It is").selectOption("<");
    await dialog.getByLabel("Limit").fill("1");
    await dialog.getByRole("button", { name: "Create alert" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.goto(page.url().replace(/dashboards.*/, "alerts"));
    const row = page.getByRole("row", { name: /Few traces/ });
    await row.getByRole("button", { name: "Few traces", exact: true }).click();
    await expectParam(page, "alert", /./);
    await page.getByRole("heading", { name: "History of Few traces" }).waitFor();
    await row.getByRole("button", { name: "Actions of Few traces" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const sure = page.getByRole("alertdialog");
    await sure.getByRole("textbox").fill("Few traces");
    await sure.getByRole("button", { name: "Delete alert" }).click();
    await page.getByText("Nothing is watched yet").waitFor();
  },
  kept: (page) => page.getByText("Nothing is watched yet").innerText(),
});
