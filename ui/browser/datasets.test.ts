import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { expectParam, journeys } from "./journey";

const { projects, dataset, traces } = inject("world");
const home = `/project/${projects.large}/datasets`;
const status = (page: Page) => page.locator("header").getByRole("status").first().innerText();

const journey = journeys();

journey("an item is found, changed and compared with what it was", {
  start: `${home}/${dataset.id}`,
  act: async ({ page, settled }) => {
    await page.getByRole("searchbox", { name: "Search items" }).fill(dataset.item);
    await expectParam(page, "q", dataset.item);
    await settled();
    await page.getByRole("row", { name: new RegExp(dataset.item) }).first().click();
    await page.getByRole("heading", { level: 1, name: dataset.item }).waitFor();
    const metadata = page.getByRole("textbox", { name: "Metadata" });
    await metadata.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type(`{"reviewed": ${Date.now()}}`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved as a new version").waitFor();
    await page.getByRole("link", { name: /^Compare/ }).first().click();
    await expectParam(page, "diff", /^2/);
    await page.getByText(/What changed from/).waitFor();
  },
  kept: (page) => page.getByRole("heading", { level: 1 }).innerText(),
});

journey("a file is checked before it is imported, and a second time changes nothing", {
  start: `${home}/${dataset.id}/import`,
  act: async ({ page, settled }) => {
    const csv = `id,question,expected_output\nimported-1,"{""question"":""Where is it?""}",Soon\nimported-2,{oops,No\nimported-1,again,No\n`;
    for (const again of [false, true]) {
      await page.locator("input[type=file]").setInputFiles({ name: "items.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
      await page.getByRole("button", { name: "Check all rows" }).click();
      await page.getByRole("table", { name: "Rows that would fail" }).waitFor();
      expect(await page.getByRole("region", { name: "Rows that would fail" }).innerText()).toMatch(/begins like JSON[\s\S]*is that of line 2, too|is that of line 2, too[\s\S]*begins like JSON/);
      await page.getByRole("button", { name: /^Import the 1 row that fit/ }).click();
      await page.getByText(again ? "1 were there already" : /1 items? made|1 were there already/).waitFor();
    }
    await page.getByRole("link", { name: "Show the items" }).click();
    await settled();
    await page.getByRole("searchbox", { name: "Search items" }).fill("imported-1");
    await settled();
    await expect.poll(() => status(page)).toBe("1 item");
  },
  kept: status,
});

journey("two traces are compared, row by row", {
  start: `/project/${projects.large}/traces/diff?a=${traces["every-kind"]}&b=${traces["scripts-and-markup"]}`,
  act: async ({ page }) => {
    await page.getByRole("switch", { name: "Only what differs" }).check();
    await expectParam(page, "only", "changes");
    await page.getByRole("row").nth(1).click();
    await expectParam(page, "row", /.+/);
    await page.getByRole("heading", { name: "Input" }).first().waitFor();
  },
  kept: status,
});
