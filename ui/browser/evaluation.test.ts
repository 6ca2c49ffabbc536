import { expect, inject } from "vitest";
import { expectParam, journeys, param } from "./journey";

const { projects, queues } = inject("world");
const at = (path: string) => `/project/${projects.large}/${path}`;
const journey = journeys();

journey("scores are found by a query, and the address keeps it", {
  start: at("scores"),
  act: async ({ page }) => {
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("name:tone text:Rude");
    await page.keyboard.press("Enter");
    await expectParam(page, "q", "name:tone text:Rude");
    await expect.poll(() => page.getByRole("row").nth(1).innerText()).toContain("Rude");
  },
  kept: (page) => page.getByRole("row").nth(1).innerText(),
});

journey("two readers are compared, and words say how far they agree", {
  start: at("scores/analytics?a=name:tone%20dataType:CATEGORICAL%20source:ANNOTATION"),
  act: async ({ page }) => {
    await page.getByRole("button", { name: /^Compare with/ }).click();
    await page.getByRole("option", { name: /^tone-second-reader/ }).first().click();
    await expectParam(page, "b", /tone-second-reader/);
    await page.getByText(/Cohen's kappa of 0\.\d+ means/).waitFor();
    expect(await page.getByRole("region", { name: "How often which values meet" }).getByRole("row").count()).toBe(4);
  },
  kept: (page) => page.getByText(/Cohen's kappa of/).innerText(),
});

journey("a score config is made, and archived", {
  start: `/project/${projects.small}/settings/score-configs`,
  act: async ({ page }) => {
    const name = `made ${Date.now()}`;
    await page.getByRole("button", { name: "New config" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("rowheader", { name }).waitFor();
    await page.getByRole("button", { name: `Archive ${name}` }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Archive" }).click();
    await page.getByRole("rowheader", { name }).waitFor({ state: "detached" });
  },
  kept: (page) => page.getByRole("heading").allInnerTexts(),
});

journey("an item is reviewed by keys alone, and its completion taken back", {
  start: at(`annotate/${queues["Support answers"]}`),
  act: async ({ page, settled }) => {
    await expectParam(page, "item", /./);
    const first = param(page, "item");
    await page.getByRole("radio", { name: /Kind/ }).waitFor();
    await page.keyboard.press("3");
    await expect.poll(() => page.getByRole("radio", { name: /Kind/ }).isChecked()).toBe(true);
    await page.getByText("Draft saved", { exact: true }).first().waitFor();
    await page.reload();
    await settled();
    await expect.poll(() => page.getByRole("radio", { name: /Kind/ }).isChecked()).toBe(true);
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => param(page, "item")).not.toBe(first);
    await page.getByRole("button", { name: "Undo completion" }).click();
    await expectParam(page, "item", first!);
    await expect.poll(() => page.getByRole("radio", { name: /Kind/ }).isChecked()).toBe(true);
  },
  kept: (page) => page.getByRole("radio", { name: /Kind/ }).isChecked(),
});

journey("items are skipped by arrows, on a phone, too", {
  start: at(`annotate/${queues["Support answers"]}`),
  size: "phone", touch: true,
  act: async ({ page }) => {
    await expectParam(page, "item", /./);
    const first = param(page, "item");
    await page.getByRole("button", { name: "Skip to the next item" }).click();
    await expect.poll(() => param(page, "item")).not.toBe(first);
    await page.getByRole("button", { name: "Back to the item before" }).click();
    await expectParam(page, "item", first!);
  },
  kept: async (page) => [await page.getByRole("form", { name: "Scores" }).count(), param(page, "item")],
});
