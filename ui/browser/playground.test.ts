import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { makePrompt } from "./api";
import { journeys } from "./journey";
import { providerKey, schemaAnswer } from "./provider";
import type { Visit } from "./page";

const { url, projects, provider } = inject("world");
const playground = `/project/${projects.large}/playground`;
const connections = `/project/${projects.large}/settings/llm-connections`;

const title = (page: Page) => page.getByRole("heading", { level: 1 }).innerText();
const answerA = (page: Page) => page.getByRole("region", { name: "Answer A" });
const variables = (page: Page) => page.getByRole("region", { name: "Variables" }).getByRole("textbox").evaluateAll((fields) => fields.length);

async function choose(page: Page, letter: string, model: string): Promise<void> {
  await page.getByRole("button", { name: `Model of variant ${letter}` }).click();
  await page.getByRole("option", { name: model }).click();
}

async function write(page: Page, field: string, text: string): Promise<void> {
  await page.getByRole("textbox", { name: field }).click();
  await page.keyboard.insertText(text);
}

/** A browser notes answers that say no. These are what the journey is about. */
function forget({ faults }: Visit, status: number): void {
  expect(faults).toEqual([expect.stringContaining(`status of ${status}`)]);
  faults.length = 0;
}

const journey = journeys();

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
    await choose(page, "B", "endless");
    await page.getByRole("button", { name: "Run all" }).click();
    await answerA(page).getByText("Answered").waitFor();
    const second = page.getByRole("region", { name: "Answer B" });
    await second.getByText(/and on and on/).waitFor();
    await page.getByRole("region", { name: "Variant B" }).getByRole("button", { name: "Stop" }).click();
    await second.getByText("Stopped").waitFor();
  },
  kept: variables,
});

journey("a model calls a tool, and another answers by a schema", {
  start: playground,
  clock: "real",
  act: async ({ page }) => {
    await write(page, "Message 2, user", "What is the weather in Oslo?");
    await choose(page, "A", "caller");
    await page.getByText("Parameters, tools and schema").click();
    await write(page, "Tools", '[{"name": "get_weather", "description": "of a city", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]');
    await page.getByRole("button", { name: "Copy variant A" }).click();
    const second = page.getByRole("region", { name: "Variant B" });
    await choose(page, "B", "echo");
    await second.getByRole("textbox", { name: "Schema of the answer" }).click();
    await page.keyboard.insertText('{"type": "object", "properties": {"city": {"type": "string"}, "rain": {"type": "boolean"}}}');
    await page.keyboard.press("Control+Enter");
    await answerA(page).getByText("Calls get_weather", { exact: true }).waitFor();
    await answerA(page).getByText("Oslo").waitFor();
    const byB = page.getByRole("region", { name: "Answer B" });
    await byB.getByText("Answered").waitFor();
    for (const name of Object.keys(schemaAnswer)) await byB.getByText(name).first().waitFor();
  },
  kept: title,
});

journey("what was tried is kept as the next version of its prompt", {
  start: playground,
  clock: "real",
  act: async ({ page, settled }) => {
    const name = `journeys/tried-${Date.now()}`;
    await makePrompt(url, { name, prompt: "Say hello.", config: { model: "echo" } });
    await page.goto(`${playground}?from=prompt:1:${name}`);
    await settled();
    await page.getByRole("textbox", { name: "Message 1, user" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" Be kind.");
    await page.getByRole("button", { name: "Save variant A as a prompt" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save version" }).click();
    await page.getByText(`Saved as ${name}, version 2`).waitFor();
    await page.getByRole("button", { name: "Open" }).click();
    await page.waitForURL(/version=2$/);
    await expect.poll(() => page.getByRole("textbox", { name: "Text of the prompt" }).innerText()).toBe("Say hello. Be kind.");
  },
  kept: title,
});

journey("a model that refuses says what to do about it", {
  start: playground,
  clock: "real",
  act: async (visited) => {
    const { page } = visited;
    await write(page, "Message 2, user", "Hello");
    await choose(page, "A", "locked");
    await page.getByRole("button", { name: "Run A" }).click();
    await answerA(page).getByText(/gateway refused the key: This key may not use the model; save the connection again with a key that may use locked/).waitFor();
    forget(visited, 400);
    await choose(page, "A", "picky");
    await page.getByRole("button", { name: "Run A" }).click();
    await answerA(page).getByText(/gateway refused the request: This model takes no such messages/).waitFor();
    forget(visited, 400);
  },
  kept: title,
});

journey("a connection is made, tested and deleted, and its key is never shown", {
  start: connections,
  clock: "real",
  act: async (visited) => {
    const { page, settled } = visited;
    const heard: Promise<string>[] = [];
    page.on("response", (response) => response.url().includes("/api/") && heard.push(response.text().catch(() => "")));
    await page.getByRole("button", { name: "Connect a provider" }).click();
    const dialog = page.getByRole("dialog", { name: "Connect a provider" });
    await dialog.getByLabel("Name").fill("journey");
    await dialog.getByRole("button", { name: "Save connection" }).click();
    await dialog.getByText("Give the provider's key.").waitFor();
    await dialog.getByLabel("Key", { exact: true }).fill(providerKey);
    await dialog.getByLabel("Address").fill(provider);
    await dialog.getByLabel("Models", { exact: true }).fill("echo, picky");
    await dialog.getByLabel("Offer the usual models of this provider, too").click();
    await dialog.getByRole("button", { name: "Save connection" }).click();
    const row = page.getByRole("row", { name: /^journey/ });
    await row.getByText(`...${providerKey.slice(-4)}`).waitFor();

    await row.getByRole("button", { name: "Test… journey" }).click();
    const test = page.getByRole("dialog", { name: "Test journey" });
    await test.getByRole("button", { name: "Test", exact: true }).click();
    await test.getByText(/It works: echo answered in/).waitFor();
    await test.getByLabel("Model").selectOption("picky");
    await test.getByRole("button", { name: "Test", exact: true }).click();
    await test.getByText(/This model takes no such messages/).waitFor();
    forget(visited, 400);
    await page.keyboard.press("Escape");

    await row.getByRole("button", { name: "Replace… journey" }).click();
    expect(await page.getByRole("dialog", { name: "Replace journey" }).getByLabel("Key", { exact: true }).inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await page.reload();
    await settled();
    expect(await page.content()).not.toContain(providerKey);
    expect((await Promise.all(heard)).join("\n")).not.toContain(providerKey);

    await row.getByRole("button", { name: "Delete… journey" }).click();
    const sure = page.getByRole("alertdialog", { name: "Delete journey?" });
    await sure.getByRole("textbox").fill("journey");
    await sure.getByRole("button", { name: "Delete connection" }).click();
    await row.waitFor({ state: "detached" });
  },
  kept: (page) => page.getByRole("table", { name: "Connections" }).getByRole("rowheader").allInnerTexts(),
});
