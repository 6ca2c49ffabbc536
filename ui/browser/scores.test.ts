import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { beforeAll, expect, inject } from "vitest";
import { create, read, until } from "./api";
import { expectParam, journeys, param } from "./journey";

const { url, projects } = inject("world");
const at = (path: string) => `/project/${projects.large}/${path}`;
const journey = journeys();

/** Two raters of a case that scikit-learn has reckoned with, and one thing that somebody wants to be gone. */
const rated = { name: "half agree", first: "rater one", second: "rater two", labels: ["bad", "good"] };
const unwanted = "to be deleted";
let wanted: { matrix: number[][]; kappa: number };

beforeAll(async () => {
  const text = await readFile(fileURLToPath(new URL("../../internal/query/testdata/agreement/kappa.json", import.meta.url)), "utf8");
  wanted = (JSON.parse(text) as { cases: (typeof wanted & { name: string })[] }).cases.find(({ name }) => name === rated.name)!;
  const pairs = wanted.matrix.flatMap((row, a) => row.flatMap((count, b) => Array.from({ length: count }, () => [a, b] as const)));
  const score = (name: string, id: string, traceId: string, value: string) => ({ id, name, traceId, value, dataType: "CATEGORICAL", timestamp: "2026-05-01T10:00:00Z" });
  const scores = pairs.flatMap(([a, b], i) => [score(rated.first, `rated-${i}-one`, `rated-${i}`, rated.labels[a]!), score(rated.second, `rated-${i}-two`, `rated-${i}`, rated.labels[b]!)]);
  const gone = Array.from({ length: 3 }, (_, i) => score(unwanted, `unwanted-${Date.now()}-${i}`, `rated-${i}`, "x"));
  for (let i = 0; i < scores.length; i += 100) await create(url, "/api/public/scores", scores.slice(i, i + 100));
  await create(url, "/api/public/scores", gone);
  await until(async () => (await scoresOf(rated.second)).length === 100 && (await scoresOf(unwanted)).length >= 3);
});

const scoresOf = async (name: string): Promise<{ id: string }[]> => (await read(url, `/api/public/v3/scores?name=${encodeURIComponent(name)}&limit=100`)).data;

const rowTexts = (page: Page) => page.getByRole("row").allInnerTexts();

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

journey("scores are deleted once their number is typed", {
  start: at(`scores?q=${encodeURIComponent(`name:"${unwanted}"`)}`),
  act: async ({ page }) => {
    await page.getByRole("row").nth(1).waitFor();
    const before = (await rowTexts(page)).length;
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Delete 1" }).click();
    const dialog = page.getByRole("alertdialog");
    const confirm = dialog.getByRole("button", { name: "Delete 1 score" });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("delete 1");
    await confirm.click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(async () => (await rowTexts(page)).length).toBe(before - 1);
  },
  kept: rowTexts,
});

journey("a score's distribution and trend are shown, also as a table", {
  start: at(`scores/analytics?a=${encodeURIComponent(`name:"${rated.first}"`)}`),
  act: async ({ page }) => {
    const [bad, good] = wanted.matrix.map((row) => row.reduce((sum, count) => sum + count, 0)) as [number, number];
    const distribution = page.getByRole("region", { name: /^Distribution:/ });
    await expect.poll(() => distribution.innerText()).toContain(`${bad + good} scores`);
    for (const [label, count] of [["bad", bad], ["good", good]] as const) expect((await distribution.innerText()).replaceAll(/\s+/g, " ")).toContain(`${label} ${count} · ${((count / (bad + good)) * 100).toFixed(1)}`);
    await page.getByRole("button", { name: /^View Categories over time/ }).click();
    const counts = await page.getByRole("region", { name: /table$/ }).getByRole("cell").allInnerTexts();
    expect(counts.map(Number).reduce((sum, count) => sum + count, 0)).toBe(bad + good);
    await page.getByRole("button", { name: /^View Categories over time/ }).click();
  },
  kept: (page) => page.getByRole("region", { name: /^Distribution:/ }).innerText(),
});

journey("two raters agree as far as scikit-learn says", {
  start: at("scores/analytics?range=7d"),
  act: async ({ page }) => {
    for (const [field, name, key] of [["Score", rated.first, "a"], ["Compare with", rated.second, "b"]] as const) {
      await page.getByRole("button", { name: new RegExp(`^${field}`) }).click();
      await page.getByRole("option", { name: new RegExp(`^${name}`) }).first().click();
      await expectParam(page, key, new RegExp(name));
    }
    await page.getByText(`Cohen's kappa of ${Number(wanted.kappa.toFixed(3))} means`).waitFor();
    const matrix = page.getByRole("region", { name: "How often which values meet" });
    expect(await matrix.getByRole("columnheader").allInnerTexts()).toEqual(rated.labels);
    const cells = (await matrix.locator("tbody td").allInnerTexts()).map(Number);
    expect(cells).toEqual(wanted.matrix.flat());
    const before = [param(page, "a"), param(page, "b")];
    await page.getByRole("button", { name: "Swap the two scores" }).click();
    await expect.poll(() => [param(page, "b"), param(page, "a")]).toEqual(before);
    await expect.poll(async () => (await matrix.locator("tbody td").allInnerTexts()).map(Number)).toEqual([0, 1].flatMap((a) => [0, 1].map((b) => wanted.matrix[b]![a])));
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
