import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { makePrompt } from "./api";
import { expectParam, journeys } from "./journey";
import { keys } from "./server";

const { url, projects } = inject("world");
const prompts = `/project/${projects.large}/prompts`;
const answer = `${prompts}/support/answer`;

const title = (page: Page) => page.getByRole("heading", { level: 1 }).innerText();
const text = (page: Page) => page.getByRole("textbox", { name: "Text of the prompt" });
const message = (page: Page, index: number) => page.getByRole("textbox", { name: `Message ${index}`, exact: false });
const versions = (page: Page) => page.getByRole("navigation", { name: "Versions" });

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

journey("a chat is written with variables, and its next version has one more message", {
  start: `${prompts}/new`,
  clock: "real",
  act: async ({ page }) => {
    await page.getByLabel("Name").fill(`journeys/chat-${Date.now()}`);
    await page.getByRole("radio", { name: "Chat" }).click();
    await message(page, 1).click();
    await page.keyboard.type("You sell for {{shop}}.");
    await page.getByRole("button", { name: "Add message" }).click();
    await message(page, 2).click();
    await page.keyboard.type("{{question}} Ask {{sh");
    await page.getByRole("option", { name: "shop" }).click(); // known from the other message
    await expect.poll(() => message(page, 2).innerText()).toBe("{{question}} Ask {{shop}}");
    await page.getByRole("button", { name: "Create prompt" }).click();
    await versions(page).getByText("Version 1").waitFor();
    await page.getByText(/Variables: shop\s*question/).waitFor();
    await page.getByRole("button", { name: "Add message" }).click();
    await page.getByLabel("Role of message 3").selectOption("placeholder");
    await page.getByLabel("Name of placeholder 3").fill("question");
    await page.keyboard.press("Control+s");
    await page.getByText("A variable and a placeholder are both called question").waitFor();
    await page.getByLabel("Name of placeholder 3").fill("history");
    await page.getByRole("button", { name: "Move message 3 up" }).click();
    await page.keyboard.press("Control+s");
    const review = page.getByRole("dialog", { name: "Save a new version" });
    await review.getByText("── placeholder: history ──").waitFor();
    await review.getByRole("button", { name: "Save version" }).click();
    await expectParam(page, "version", "2");
    await page.getByText("Placeholders: history").waitFor();
  },
  kept: async (page) => [await message(page, 1).innerText(), await page.getByLabel("Name of placeholder 2").inputValue(), await message(page, 3).innerText()],
});

journey("production moves to another version, and the dialog shows what that changes", {
  start: prompts,
  clock: "real",
  act: async ({ page, settled }) => {
    const name = `journeys/label-${Date.now()}`;
    await makePrompt(url, { name, prompt: "Answer briefly.", labels: ["production", "eu"] });
    await makePrompt(url, { name, prompt: "Answer in one sentence." });
    await page.goto(`${prompts}/${name}`);
    await settled();
    await page.getByRole("button", { name: "Label…" }).click();
    const dialog = page.getByRole("dialog", { name: "Put a label on version 2" });
    await dialog.getByText("It leaves version 1.").waitFor();
    await dialog.getByText("1 change").waitFor();
    await dialog.getByRole("button", { name: "Move label" }).click();
    await versions(page).getByRole("link", { name: /^Version 2.*production/ }).waitFor();
    await versions(page).getByRole("link", { name: /^Version 1.*eu/ }).waitFor();
    const served = await fetch(`${url}/api/public/v2/prompts/${encodeURIComponent(name)}`, { headers: { Authorization: `Basic ${btoa(`${keys.publicKey}:${keys.secretKey}`)}` } });
    expect(await served.json()).toMatchObject({ version: 2, prompt: "Answer in one sentence." });
  },
  kept: (page) => versions(page).locator("a > span:first-child").allInnerTexts(), // without how long ago
});

journey("tags are changed without a new version, and prompts are found by them", {
  start: prompts,
  clock: "real",
  act: async ({ page, settled }) => {
    const at = Date.now();
    await makePrompt(url, { name: `journeys/tags-${at}`, prompt: "Hello", tags: ["old"] });
    await page.goto(`${prompts}/journeys/tags-${at}`);
    await settled();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Tags…" }).click();
    await page.getByRole("dialog", { name: /^Tags of/ }).getByLabel("Tags").fill(`new, at-${at}`);
    await page.keyboard.press("Enter");
    await page.getByRole("banner").or(page.locator("main header")).getByText(`at-${at}`).waitFor();
    await versions(page).getByText("1 version").waitFor();
    await page.goto(`${prompts}?q=at-${at}`);
    await settled();
  },
  kept: (page) => page.getByRole("rowheader").allInnerTexts(),
});

journey("a prompt is opened from the palette", {
  start: `/project/${projects.large}/traces`,
  act: async ({ page }) => {
    await page.keyboard.press("Control+K");
    await page.getByPlaceholder("Find a page, prompt or project").fill("triage");
    await page.getByRole("option", { name: "support/triage" }).click();
    await page.waitForURL(/\/prompts\/support\/triage$/);
    await versions(page).getByText("Version 1").waitFor();
  },
  kept: title,
});

journey("two versions are compared", {
  start: `${answer}?version=30`,
  act: async ({ page }) => {
    await page.getByRole("link", { name: "Compare with version 29" }).click();
    await expectParam(page, "diff", "29");
    await page.getByText("1 change").first().waitFor();
    await page.getByRole("radio", { name: "Unified" }).click();
    await expectParam(page, "layout", "unified");
    await page.getByRole("textbox", { name: "Version 29 to Version 30" }).waitFor();
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

journey("a prompt that includes another is shown as applications get it, and the other knows", {
  start: `${prompts}/support/triage?tab=references`,
  act: async ({ page }) => {
    const includes = page.getByRole("region", { name: "It includes" });
    await includes.getByText("the version with the label production").waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: "Resolved prompt" }).innerText()).toContain("Be friendly, brief and exact.");
    await includes.getByRole("link", { name: "shared/tone" }).click();
    await page.getByRole("tab", { name: "References" }).click();
    await page.getByRole("region", { name: "Included by" }).getByRole("link", { name: "support/triage" }).waitFor();
  },
  kept: (page) => page.getByRole("region", { name: "Included by" }).getByRole("listitem").allInnerTexts(),
});

journey("what each version did is counted, and leads to its observations", {
  start: `${answer}?tab=usage`,
  act: async ({ page }) => {
    const usage = page.getByRole("table", { name: "Usage by version" });
    const cells = await usage.getByRole("row", { name: /^Version 2/ }).getByRole("cell").allInnerTexts();
    const [observations = "", cost = "", tokens = "", p50 = ""] = cells.map((cell) => cell.split("\n").at(-1) ?? "");
    expect(observations).toMatch(/^[1-9][\d,]*$/);
    expect(cost).toMatch(/^\$/);
    expect(tokens).toMatch(/\d/);
    expect(p50).toMatch(/\d.*s$/);
    await usage.getByRole("link", { name: "Version 2" }).click();
    await page.waitForURL(/\/observations\?/);
    await page.getByRole("row").nth(1).waitFor();
  },
  kept: (page) => page.getByRole("heading", { level: 1 }).innerText(),
});

journey("the code that fetches a prompt fetches it", {
  start: `${answer}?tab=use&version=30`,
  act: async ({ page }) => {
    await page.getByText('langfuse.get_prompt("support/answer"').waitFor();
    await page.getByRole("radio", { name: "JavaScript" }).click();
    await page.getByText('langfuse.prompt.get("support/answer"').waitFor();
    await page.getByRole("radio", { name: "curl" }).click();
    await expectParam(page, "lang", "curl");
    await page.getByRole("tabpanel").getByRole("button", { name: "Copy" }).click();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    const address = /"(http[^"]+)"/.exec(code)?.[1] ?? "";
    const served = await fetch(address, { headers: { Authorization: `Basic ${btoa(`${keys.publicKey}:${keys.secretKey}`)}` } });
    expect(await served.json()).toMatchObject({ name: "support/answer", type: "text" });
  },
  kept: (page) => page.getByRole("tabpanel").locator("pre").innerText(),
});
