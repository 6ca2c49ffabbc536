import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { expectParam, journeys } from "./journey";

const { projects } = inject("world");
const prompts = `/project/${projects.large}/prompts`;
const answer = `${prompts}/support/answer`;
const playground = `/project/${projects.large}/playground`;

const title = (page: Page) => page.getByRole("heading", { level: 1 }).innerText();
const text = (page: Page) => page.getByRole("textbox", { name: "Text of the prompt" });
const answerA = (page: Page) => page.getByRole("region", { name: "Answer A" });
const variables = (page: Page) => page.getByRole("region", { name: "Variables" }).getByRole("textbox").evaluateAll((fields) => fields.length);

const journey = journeys();

journey("prompts are found in their folders", {
  start: prompts,
  act: async ({ page }) => {
    await page.getByRole("link", { name: "support (folder)" }).click();
    await expectParam(page, "folder", "support");
    await page.getByRole("rowheader", { name: "answer" }).waitFor();
  },
  kept: async (page) => [await page.getByRole("rowheader").allInnerTexts(), await page.getByRole("navigation", { name: "Folder" }).innerText()],
});

journey("a prompt is written, changed by keys, reviewed and saved", {
  start: `${prompts}/new`,
  clock: "real",
  act: async ({ page }) => {
    await page.getByLabel("Name").fill(`journeys/greeting-${Date.now()}`);
    await text(page).click();
    await page.keyboard.type("Greet {{name}}.");
    await page.getByRole("button", { name: "Create prompt" }).click();
    await page.getByRole("navigation", { name: "Versions" }).getByText("Version 1").waitFor();
    await text(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" Be kind.");
    await page.getByText("Not saved").waitFor();
    await page.keyboard.press("Control+s");
    const review = page.getByRole("dialog", { name: "Save a new version" });
    await review.getByText("1 change").waitFor();
    await review.getByLabel("Why").fill("Kinder");
    await review.getByRole("button", { name: "Save version" }).click();
    await expectParam(page, "version", "2");
    await page.getByRole("navigation", { name: "Versions" }).getByText("Kinder").waitFor();
  },
  kept: async (page) => [await title(page), await text(page).innerText()],
});

journey("two versions are compared", {
  start: `${answer}?version=30`,
  act: async ({ page }) => {
    await page.getByRole("link", { name: "Compare with version 29" }).click();
    await expectParam(page, "diff", "29");
    await page.getByText("1 change").first().waitFor();
  },
  kept: (page) => page.getByRole("heading", { level: 2, name: /^Version 29 and version 30/ }).innerText(),
});

journey("what is not saved is not lost by a press", {
  start: `${answer}?version=30`,
  act: async ({ page }) => {
    const before = await text(page).innerText();
    await text(page).click();
    await page.keyboard.type("x");
    await page.getByRole("link", { name: /^Version 28/ }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Stay" }).click();
    await expectParam(page, "version", "30");
    await page.keyboard.press("Control+z");
    await expect.poll(() => text(page).innerText()).toBe(before);
  },
  kept: (page) => text(page).innerText(),
});

journey("a prompt is tried with values, and its run is a trace", {
  start: `${playground}?from=prompt:2:support/answer`,
  clock: "real",
  act: async ({ page }) => {
    await page.getByLabel("company", { exact: true }).fill("ACME");
    await page.getByLabel("question", { exact: true }).fill("Where is my parcel?");
    await page.keyboard.press("Control+Enter");
    await answerA(page).getByText("Answered").waitFor();
    await answerA(page).getByText("Where is my parcel?").first().waitFor();
    await answerA(page).getByText("17 tokens").waitFor();
    await answerA(page).getByRole("link", { name: "Open the trace" }).click();
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
    await expect.poll(async () => {
      await page.reload();
      return page.getByRole("heading", { level: 1 }).innerText();
    }, { timeout: 30_000 }).toContain("playground");
  },
  kept: title,
});

journey("variants run beside each other, and one that does not end is stopped", {
  start: `${playground}?from=prompt:1:support/answer`,
  clock: "real",
  act: async ({ page }) => {
    await page.getByLabel("company", { exact: true }).fill("ACME");
    await page.getByLabel("question", { exact: true }).fill("Why?");
    await page.getByRole("button", { name: "Copy variant A" }).click();
    await page.getByRole("button", { name: "Model of variant B" }).click();
    await page.getByRole("option", { name: "endless" }).click();
    await page.getByRole("button", { name: "Run all" }).click();
    await answerA(page).getByText("Answered").waitFor();
    const second = page.getByRole("region", { name: "Answer B" });
    await second.getByText(/and on and on/).waitFor();
    await page.getByRole("region", { name: "Variant B" }).getByRole("button", { name: "Stop" }).click();
    await second.getByText("Stopped").waitFor();
  },
  kept: variables,
});

journey("a connection is tested in the settings", {
  start: `/project/${projects.large}/settings/llm-connections`,
  clock: "real",
  act: async ({ page }) => {
    await page.getByRole("button", { name: "Test… gateway" }).click();
    const dialog = page.getByRole("dialog", { name: "Test gateway" });
    await dialog.getByRole("button", { name: "Test", exact: true }).click();
    await dialog.getByText(/It works: echo answered in/).waitFor();
    await dialog.getByLabel("Model").selectOption("picky");
    await dialog.getByRole("button", { name: "Test", exact: true }).click();
    await dialog.getByText(/This model takes no such messages/).waitFor();
    await page.keyboard.press("Escape");
  },
  kept: (page) => page.getByRole("table", { name: "Connections" }).getByRole("rowheader").allInnerTexts(),
});
