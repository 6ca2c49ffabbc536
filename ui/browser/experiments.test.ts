import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { expectParam, journeys } from "./journey";

const { projects, experiments } = inject("world");
const [before, worse] = [experiments["gpt-4o, first prompt"]!, experiments["gpt-4o, sources"]!];
const results = `/project/${projects.large}/experiments/results?baseline=${before}&c=${worse}`;

const rows = (page: Page) => page.getByRole("table", { name: "Items" }).getByRole("row");
const names = async (page: Page) => (await page.getByRole("rowheader").getByRole("button").allInnerTexts()).filter((text) => text.startsWith("support-question"));
const count = (page: Page) => page.getByRole("status").filter({ hasText: /item/ }).first().innerText();

const journey = journeys();

journey("two runs are chosen from the list and compared with the older of them", {
  start: `/project/${projects.large}/experiments`,
  act: async ({ page, settled }) => {
    await page.getByRole("checkbox", { name: "Select gpt-4o, sources", exact: true }).check();
    await page.getByRole("checkbox", { name: "Select gpt-4o, first prompt", exact: true }).check();
    await page.getByRole("button", { name: "Compare 2 runs" }).click();
    await expectParam(page, "baseline", before);
    await expectParam(page, "c", worse);
    await settled();
    expect(await page.getByRole("region", { name: "Summary" }).innerText()).toMatch(/correct rose by 0\.\d+ \(95 % CI -?0\.\d+ to 0\.\d+\), p = 0\.\d{3}, paired over 200 items/);
  },
  kept: count,
});

journey("the planted regressions are found, all and nothing else", {
  start: results,
  act: async ({ page, settled }) => {
    expect(await count(page)).toBe("200 items");
    await page.getByRole("switch", { name: "Only regressions" }).check();
    await expectParam(page, "only", "regressions");
    await settled();
    expect(await count(page)).toBe("16 items");
    const shown = await names(page);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown).toEqual(Array.from({ length: shown.length }, (_, index) => `support-question-${12 * (index + 1)}`));
  },
  kept: async (page) => [await count(page), await names(page)],
});

journey("an item is opened beside the grid, and the next by keys", {
  start: results,
  act: async ({ page, settled }) => {
    await page.getByRole("button", { name: "support-question-02", exact: true }).click();
    await expectParam(page, "item", "support-question-02");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Expected output" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await expectParam(page, "item", "support-question-03");
    await settled();
    expect(await dialog.innerText()).toContain("gpt-4o, sources");
  },
  kept: (page) => page.getByRole("dialog").innerText(),
});

journey("the list has the same items without texts, and a search is kept", {
  start: `${results}&layout=list&summary=hidden`,
  size: "phone",
  act: async ({ page, settled }) => {
    await page.getByRole("searchbox", { name: "Search items" }).fill("question-1");
    await page.keyboard.press("Enter");
    await expectParam(page, "q", "question-1");
    await settled();
    expect(await count(page)).not.toBe("200 items");
    expect(await rows(page).count()).toBeGreaterThan(3);
  },
  kept: count,
});

journey("the address that older SDKs print leads to the results", {
  start: `/project/${projects.large}/datasets/some-dataset/runs/${worse}`,
  act: async ({ page, settled }) => {
    await page.waitForURL(/experiments\/results/);
    await expectParam(page, "baseline", worse);
    await settled();
    expect(await count(page)).toBe("200 items");
  },
  kept: count,
});
