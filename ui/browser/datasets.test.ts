import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { read } from "./api";
import { expectParam, journeys } from "./journey";

const { url, projects, dataset, refunds, traces } = inject("world");
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

journey("folders lead down to a dataset, and back", {
  start: home,
  act: async ({ page, settled }) => {
    await page.getByRole("link", { name: "Folder support" }).click();
    await expectParam(page, "folder", "support");
    await page.getByRole("link", { name: "refunds", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "refunds" }).waitFor();
    await settled();
    expect(await status(page)).toMatch(/^[3-9]\d* items$/);
    await page.getByRole("navigation", { name: "Folders" }).getByRole("link", { name: "support" }).click();
    await expectParam(page, "folder", "support");
    await page.getByRole("link", { name: "Folder escalations" }).waitFor();
  },
  kept: (page) => page.getByRole("table", { name: "Datasets" }).getByRole("link").allInnerTexts(),
});

/** Writes the text of a field of an item, in place of all that is there. */
async function write(page: Page, field: string, text: string): Promise<void> {
  await page.getByRole("textbox", { name: field, exact: true }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
}

journey("an item is held to the schema while it is written, and each save is a version", {
  start: `${home}/${refunds.id}/items/${refunds.item}`,
  act: async ({ page, settled }) => {
    const save = page.getByRole("button", { name: "Save" });
    const versions = page.getByRole("complementary", { name: "Versions" }).getByRole("listitem");
    const before = await versions.count();
    expect(before).toBeGreaterThan(1);
    await write(page, "Input", '{"question": "The lamp arrived broken.",\n"order": "DE-1001",\n"amount": -5}');
    await expect.poll(() => page.getByRole("region", { name: "Input" }).getByRole("alert").innerText()).toMatch(/Line 3, \/amount/);
    expect(await save.isDisabled()).toBe(true);
    await write(page, "Input", '{"question": ');
    await expect.poll(() => page.getByRole("region", { name: "Input" }).getByRole("alert").innerText()).toMatch(/no JSON/);
    await write(page, "Input", `{"question": "The lamp arrived broken, at ${Date.now()}.", "order": "DE-1001", "amount": 12345678901234567890}`);
    await page.getByRole("region", { name: "Input" }).getByRole("alert").waitFor({ state: "detached" });
    await page.keyboard.press("Control+S");
    await page.getByText("Saved as a new version").waitFor();
    await settled();
    await expect.poll(() => versions.count()).toBe(before + 1);
    expect(await page.getByRole("textbox", { name: "Input", exact: true }).innerText()).toContain("12345678901234567890");
    await versions.nth(1).getByRole("link").first().click();
    await expectParam(page, "version", /^2/);
    await page.getByText("The item as it was at").waitFor();
  },
  kept: (page) => page.getByRole("textbox", { name: "Input", exact: true }).innerText(),
});

const itemsIn = async (datasetName: string) => (await read(url, `/api/public/dataset-items?datasetName=${encodeURIComponent(datasetName)}&limit=1`)).meta.totalItems as number;

journey("columns are mapped by hand, shown as items, and a check writes nothing", {
  start: `${home}/${refunds.id}/import`,
  act: async ({ page, settled }) => {
    const before = await itemsIn("support/refunds");
    const csv = 'Ticket;Message;Verdict\nt-1;"{""question"": ""May I return it?"", ""amount"": 3}";"{""refund"": true}"\nt-2;"{""question"": ""May I return that?"", ""amount"": -1}";"{""refund"": true}"\n';
    await page.locator("input[type=file]").setInputFiles({ name: "tickets.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    const preview = page.getByRole("table", { name: "The first rows, as items" });
    await page.getByRole("combobox", { name: "Ticket becomes" }).selectOption({ label: "Left out" }); // the first column was guessed to be the input
    await page.getByText("Choose at least one column").waitFor();
    for (const [column, target] of [["Ticket", "Id"], ["Message", "Input"], ["Verdict", "Expected output"]] as const) {
      await page.getByRole("combobox", { name: `${column} becomes` }).selectOption({ label: target });
    }
    await expect.poll(() => preview.innerText()).toMatch(/t-1[\s\S]*May I return it\?[\s\S]*"refund": true/);
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("table", { name: "Rows that would fail" }).waitFor();
    expect(await page.getByRole("table", { name: "Rows that would fail" }).innerText()).toMatch(/3\s+t-2\s+Input\s*\/amount/);
    await page.getByText(/1 item would be new.*1 row would fail/).or(page.getByText(/1 are there already just so.*1 row would fail/)).first().waitFor();
    expect(await itemsIn("support/refunds")).toBe(before);
    await page.getByRole("button", { name: /^Import the 1 row that fit/ }).click();
    await page.getByRole("link", { name: "Show the items" }).click();
    await settled();
    await page.getByRole("searchbox", { name: "Search items" }).fill("t-1");
    await expect.poll(() => status(page)).toBe("1 item");
  },
  kept: status,
});

journey("a trace becomes an item that leads back to it", {
  start: `/project/${projects.large}/traces/${traces["every-kind"]}`,
  act: async ({ page, settled }) => {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Add to dataset" }).click();
    const dialog = page.getByRole("dialog", { name: "Add to dataset" });
    await dialog.getByRole("button", { name: /^Dataset/ }).click();
    await page.getByRole("option", { name: "support/escalations/legal" }).click();
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Added an item to support/escalations/legal").waitFor();
    const { data } = await read(url, `/api/public/dataset-items?datasetName=${encodeURIComponent("support/escalations/legal")}&sourceTraceId=${traces["every-kind"]}&limit=1`);
    await page.goto(`${home}/${data[0].datasetId}/items/${data[0].id}`);
    await page.getByRole("link", { name: "Source trace" }).click();
    await page.waitForURL(new RegExp(`/traces/${traces["every-kind"]}`));
    await settled();
  },
  kept: (page) => page.getByRole("heading", { level: 1 }).innerText(),
});
