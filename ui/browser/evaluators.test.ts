import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { read, type SentSpan, sendSpans, until } from "./api";
import { expectParam, journeys } from "./journey";
import type { Visit } from "./page";

const { url, projects, evaluators, rules } = inject("world");
const list = `/project/${projects.large}/evaluators`;
const rule = `${list}/rules/${rules["Support answers"]}`;

const code = (page: Page) => page.getByRole("textbox", { name: "Source code" });
const trial = (page: Page) => page.getByRole("region", { name: "Try it" });
const title = (page: Page) => page.getByRole("heading", { level: 1 }).innerText();
const kinds = (page: Page) => page.getByRole("group", { name: "Kinds of decisions" });
const tile = async (page: Page, label: string) => (await page.getByText(label, { exact: true }).locator("xpath=..").first().innerText()).replace(label, "").trim();

/** Generations as an application sends them now, each a trace of its own. */
function generations(name: string, outputs: readonly string[]): SentSpan[] {
  const now = Date.now();
  return outputs.map((output) => ({
    traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex"), name, start: now - 1000, end: now,
    attributes: { "langfuse.observation.type": "generation", "langfuse.observation.input": "Where is my parcel?", "langfuse.observation.output": output },
  }));
}

/** Writes over the whole source code. What is selected is deleted first: a browser gives text that replaces colored text the color as a style. */
async function rewrite({ page, settled }: Visit, text: string): Promise<void> {
  await code(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
  await settled();
}

const journey = journeys();

journey("evaluators and rules tell what they did, and lead to each other", {
  start: list,
  act: async ({ page }) => {
    const row = page.getByRole("table", { name: "Evaluators" }).getByRole("row").filter({ has: page.getByRole("rowheader", { name: "Length of answers" }) });
    await row.getByText("Code").waitFor();
    await row.getByRole("link", { name: "Support answers" }).click();
    await page.waitForURL(`**${rule}`);
    await page.getByRole("link", { name: "Length of answers" }).first().click();
    await page.getByRole("navigation", { name: "Versions" }).waitFor();
  },
  kept: title,
});

journey("a code evaluator is written, tried by keys, and saved", {
  start: `${list}/new`,
  clock: "real",
  act: async (visit) => {
    const { page, settled } = visit;
    const name = `Politeness ${Date.now()}`;
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Observations to try it on").fill("type:GENERATION name:answer");
    await page.keyboard.press("Enter");
    await settled();
    await trial(page).getByRole("radio").first().check({ force: true });
    await expectParam(page, "row", /^[0-9a-f]{32}:[0-9a-f]{16}$/);
    await page.keyboard.press("Control+Enter"); // the template runs as it is
    await trial(page).getByText("length", { exact: true }).waitFor();
    await rewrite(visit, 'function evaluate(ctx) {\n  const text = JSON.stringify(ctx.observation.output);\n  return { scores: [{ name: "polite", value: text.includes("please") }] };\n}\n');
    await page.keyboard.press("Control+Enter");
    await trial(page).getByText("polite", { exact: true }).waitFor();
    await page.keyboard.press("Control+s");
    await page.getByRole("heading", { level: 1, name }).waitFor();
  },
  kept: async (page) => [await title(page), await code(page).innerText()],
});

journey("a rule decides what comes, and leads to scores and reasons", {
  start: `${list}/${evaluators["Names a source"]}`,
  clock: "real",
  act: async ({ page, settled }) => {
    const name = `Live ${Date.now()}`;
    await page.getByRole("button", { name: "New rule…" }).click();
    const dialog = page.getByRole("dialog", { name: "New rule" });
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog.getByLabel("Filter of the rule").fill(`name:"${name}"`);
    await page.keyboard.press("Enter");
    await dialog.getByText("0 observations of the last 24 hours match.").waitFor();
    await dialog.getByRole("button", { name: "Create rule" }).click();
    await page.waitForURL(/\/evaluators\/rules\//);
    await page.getByText("No decisions yet").waitFor();
    await sendSpans(url, generations(name, ['{"content":"Tomorrow. Source: the help center."}', '{"content":"Soon."}', "no message"]));
    const ruleId = page.url().split("/").at(-1)!;
    await until(async () => (await read(url, `/api/public/v2/evaluation-rules/${ruleId}/decisions?outcome=evaluated`)).data.length === 2, 90);
    await page.reload();
    await settled();
    expect([await tile(page, "Evaluated"), await tile(page, "Failed")]).toEqual(["2", "1"]);
    await kinds(page).getByRole("button", { name: /^Failed: the code ended with an error/i }).click();
    await expectParam(page, "decision", "failed threw");
    await page.getByRole("table", { name: "Decisions" }).getByText(/TypeError/).waitFor();
    await kinds(page).getByRole("button", { name: /^Evaluated/i }).click();
    await page.getByRole("link", { name: "See the score" }).first().click();
    await page.getByRole("tab", { name: "Scores", selected: true }).waitFor();
    await page.getByText("names-a-source", { exact: true }).first().waitFor();
  },
  kept: (page) => page.getByRole("tab", { selected: true, name: "Scores" }).innerText(),
});

journey("what is wrong with the code is told before it is saved", {
  start: `${list}/new`,
  act: async (visit) => {
    const { page } = visit;
    await page.getByRole("button", { name: "Create evaluator" }).click();
    await page.getByText("Give it a name.").waitFor();
    await trial(page).getByRole("radio").first().check({ force: true });
    await rewrite(visit, 'function evaluate() { throw new Error("on purpose") }');
    await page.keyboard.press("Control+Enter");
    await trial(page).getByText(/on purpose/).waitFor();
    await trial(page).getByText("the code ended with an error").waitFor();
    await code(page).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.getByLabel("Begin with").selectOption("length");
  },
  kept: (page) => page.getByLabel("Begin with").inputValue(),
});

journey("a judge is written, asked about an observation, and saved", {
  start: `${list}/new`,
  clock: "real",
  act: async (visit) => {
    const { page, settled } = visit;
    const name = `Helpfulness ${Date.now()}`;
    await page.getByRole("radio", { name: "LLM judge" }).check({ force: true });
    await expectParam(page, "kind", "judge");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Begin with").selectOption("tone");
    await page.getByRole("textbox", { name: "Categories" }).waitFor();
    await page.getByLabel("Begin with").selectOption("helpful");
    await page.getByRole("button", { name: "Model", exact: false }).first().click();
    await page.getByRole("option", { name: "judge", exact: true }).click();
    await page.getByRole("textbox", { name: "Message 1, user" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" Think of {{reader");
    await page.keyboard.press("Escape");
    await page.keyboard.type("}}.");
    await settled();
    await trial(page).getByText("Choose an observation.").waitFor();
    await trial(page).getByRole("radio").first().check({ force: true });
    await trial(page).getByText("Say where the value of reader comes from.").waitFor();
    await page.getByLabel("reader comes from").selectOption("metadata");
    await page.keyboard.press("Control+Enter");
    await trial(page).getByText("0.75").waitFor();
    await trial(page).getByText("It says when the parcel comes.").waitFor();
    await trial(page).getByRole("link", { name: "Open the call of the model" }).waitFor();
    await page.keyboard.press("Control+s");
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await expectParam(page, "kind", null);
  },
  kept: async (page) => [await title(page), await page.getByLabel("reader comes from").inputValue()],
});

journey("versions are compared, and a change is reviewed before it counts", {
  start: `${list}/${evaluators["Length of answers"]}`,
  clock: "real",
  act: async ({ page }) => {
    await page.getByRole("link", { name: "Compare with version 1" }).click();
    await expectParam(page, "diff", "1");
    await page.getByText(/\d changes?/).first().waitFor();
    await page.getByRole("link", { name: "Close" }).click();
    await code(page).click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type(`// ${Date.now()}\n`);
    await page.getByText("Not saved").waitFor();
    await page.keyboard.press("Control+s");
    const review = page.getByRole("dialog", { name: "Save a new version" });
    await review.getByText("1 change").waitFor();
    await review.getByRole("button", { name: "Save version" }).click();
    await review.waitFor({ state: "detached" });
    await page.getByText("Not saved").waitFor({ state: "detached" });
  },
  kept: async (page) => [await code(page).innerText(), await page.getByRole("navigation", { name: "Versions" }).getByRole("listitem").count()],
});

journey("decisions are found by kind, by keys, and the address keeps it", {
  start: rule,
  act: async ({ page }) => {
    await kinds(page).getByRole("button", { name: /^Skipped: not in the sample/i }).focus();
    await page.keyboard.press("Enter");
    await expectParam(page, "decision", "skipped sampling");
    await expect.poll(() => page.getByRole("table", { name: "Decisions" }).getByText("evaluated", { exact: true }).count()).toBe(0);
    await page.getByRole("table", { name: "Decisions" }).getByText("not in the sample").first().waitFor();
  },
  kept: (page) => page.getByRole("table", { name: "Decisions" }).getByRole("row").count(),
});

journey("a backfill is estimated, started, and its decisions show", {
  start: rule,
  act: async ({ page }) => {
    const from = `2026-04-2${6 + Math.floor(Math.random() * 3)}T${String(Math.floor(Math.random() * 24)).padStart(2, "0")}`;
    await page.getByRole("button", { name: "Backfill…" }).click();
    const dialog = page.getByRole("dialog", { name: "Backfill of Support answers" });
    await dialog.getByRole("button", { name: /^Last 24 hours/ }).click();
    await page.getByLabel("From").fill(`${from}:00:00`);
    await page.getByLabel("To", { exact: true }).fill(`${from}:59:59`);
    await page.getByRole("button", { name: "Apply" }).click();
    await dialog.getByRole("region", { name: "Estimate" }).or(dialog.getByRole("status", { name: "Estimate" })).getByText("$0.00").waitFor();
    const start = dialog.getByRole("button", { name: /^Start/ });
    if (await start.isDisabled()) return; // an hour that was done by an earlier run of the tests
    await start.click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Backfills" }).getByText(/\d+ evaluated, \d+ skipped, \d+ failed/).first().waitFor({ timeout: 60_000 });
  },
  kept: title,
});

journey("a rule is turned on and off, and deleted by its name, on a phone", {
  start: list,
  size: "phone", touch: true,
  act: async ({ page }) => {
    const name = `Short-lived ${Date.now()}`;
    await page.getByRole("button", { name: "New rule…" }).click();
    const dialog = page.getByRole("dialog", { name: "New rule" });
    await dialog.getByRole("button", { name: "Create rule" }).click();
    await dialog.getByText("Give it a name.").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog.getByLabel("Filter of the rule").fill("only words");
    await dialog.getByRole("button", { name: "Create rule" }).click();
    await dialog.getByText(/A rule cannot search for words/).waitFor();
    await dialog.getByLabel("Filter of the rule").fill("name:nobody");
    await dialog.getByRole("switch", { name: "Enabled" }).uncheck();
    await dialog.getByRole("button", { name: "Create rule" }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByRole("switch", { name: "Enabled" }).click();
    await page.getByText("enabled", { exact: true }).waitFor();
    await page.getByRole("button", { name: "More", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("alertdialog").getByRole("textbox").fill(name);
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete rule" }).click();
    await page.waitForURL(`**${list}`);
    await expect.poll(() => page.getByRole("link", { name }).count()).toBe(0);
  },
  kept: title,
});
