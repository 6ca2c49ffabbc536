import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { expectParam, journeys } from "./journey";
import { keys } from "./server";

const { projects } = inject("world");
const at = (id: string, search = "?range=7d") => `/project/${projects.large}/dashboards/${id}${search}`;

const tile = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const number = (page: Page, name: string) => tile(page, name).getByRole("button", { name: /Show the rows$/ });
const filter = (page: Page) => page.getByRole("combobox", { name: "Filter of all tiles" });
const tiles = (page: Page) => page.getByRole("list", { name: "Tiles" }).locator("> li"); // legends are lists, too

/** Where tiles are, and how large. */
const places = (page: Page) => tiles(page).evaluateAll((list) => list.map((one) => [one.style.gridColumn, one.style.gridRow].join(" / ")));

const journey = journeys();

for (const id of ["usage", "latency", "scores"]) {
  journey(`the built-in dashboard ${id} shows something in every tile`, {
    start: at(id),
    act: async ({ page }) => {
      expect(await tiles(page).count()).toBeGreaterThan(4);
      expect(await page.getByText("Nothing in this time").count()).toBe(0);
      expect(await page.getByRole("alert").count()).toBe(0);
      for (const one of await page.getByRole("button", { name: /Show the rows$/ }).all()) expect(await one.innerText()).toMatch(/[1-9]/);
    },
    kept: (page) => page.getByRole("button", { name: /Show the rows$/ }).allInnerTexts(),
  });
}

journey("a filter changes every tile, and stays in the address", {
  start: at("usage"),
  act: async ({ page, settled }) => {
    const names = ["Traces", "Cost", "Tokens"];
    const all = await Promise.all(names.map((name) => number(page, name).innerText()));
    await filter(page).fill("level:ERROR");
    await page.keyboard.press("Enter");
    await expectParam(page, "q", "level:ERROR");
    await settled();
    for (const [index, name] of names.entries()) expect(await number(page, name).innerText()).not.toBe(all[index]);
    expect(await tile(page, "Traces by name").getByText("experiment-item-run").count()).toBe(0);
  },
  kept: async (page) => [await number(page, "Cost").innerText(), await filter(page).inputValue()],
});

journey("a number leads to the rows behind it, and their count is the number", {
  start: at("usage"),
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

journey("a number of scores leads to these scores", {
  start: at("scores"),
  act: async ({ page, settled }) => {
    await page.getByRole("button", { name: "View Scores by name as table" }).press("Enter");
    const row = tile(page, "Scores by name").getByRole("row", { name: /^grounded/ });
    const count = await row.getByRole("button").innerText();
    await row.getByRole("button").press("Enter");
    await page.waitForURL(/\/scores\?/);
    await expectParam(page, "q", "dataType:(NUMERIC OR BOOLEAN) name:=grounded");
    await settled();
    expect(await page.getByRole("status").filter({ hasText: "loaded" }).innerText()).toBe(`${count} scores loaded`);
  },
  kept: (page) => page.getByRole("status").filter({ hasText: "loaded" }).innerText(),
});

journey("a chart is read as a table, and a cell leads to its rows", {
  start: at("usage"),
  act: async ({ page }) => {
    await page.getByRole("button", { name: "View Cost by model as table" }).press("Enter");
    await tile(page, "Cost by model").getByRole("table").getByRole("button").first().press("Enter");
    await page.waitForURL(/\/observations\?/);
    await expectParam(page, "q", /^model:/);
  },
  kept: (page) => page.getByRole("combobox", { name: "Query" }).inputValue(),
});

journey("the query of a tile is copied, and answers the same to a shell", {
  start: at("usage", "?range=7d&q=env%3Aproduction"),
  act: async ({ page }) => {
    const shown = await number(page, "Traces").innerText();
    await page.getByRole("button", { name: "Actions of Traces", exact: true }).click();
    await page.getByRole("menuitem", { name: "View query" }).click();
    await page.getByRole("dialog", { name: "Query of Traces" }).getByRole("button", { name: "Copy curl" }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const { stdout } = await promisify(execFile)("sh", ["-c", `${command} --silent --fail`], { env: { ...process.env, SONDE_PUBLIC_KEY: keys.publicKey, SONDE_SECRET_KEY: keys.secretKey } });
    expect(JSON.parse(stdout).data[0].count_count.toLocaleString("en-US")).toBe(shown);
    await page.keyboard.press("Escape");
  },
  kept: (page) => number(page, "Traces").innerText(),
});

journey("a link with fixed times shows the same tomorrow", {
  start: at("usage"),
  act: async ({ page, settled }) => {
    const shown = await number(page, "Traces").innerText();
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("menuitem", { name: "Copy link with fixed times" }).click();
    await page.getByText("Link copied").first().waitFor();
    await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
    await expectParam(page, "range", /^2026-04-24T.*\.\.2026-05-01T/);
    await settled();
    expect(await number(page, "Traces").innerText()).toBe(shown);
  },
  kept: (page) => number(page, "Traces").innerText(),
});

async function newDashboard(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "New dashboard" }).click();
  await page.waitForURL(/edit=1/);
  await page.getByLabel("Name").fill(name);
}

async function addTile(page: Page, kind: string, more: (dialog: ReturnType<Page["getByRole"]>) => Promise<void> = async () => undefined): Promise<void> {
  await page.getByRole("button", { name: "Add tile" }).first().click();
  const dialog = page.getByRole("dialog", { name: "New tile" });
  await dialog.getByLabel("Title").fill(`A ${kind}`);
  await dialog.getByLabel("Shown as").selectOption(kind);
  await more(dialog);
  await dialog.getByRole("button", { name: "Add tile" }).click();
  await dialog.waitFor({ state: "hidden" });
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save" }).click();
  await expectParam(page, "edit", null);
}

for (const [name, kinds] of [["over time", ["line", "area", "bars", "heat-map"]], ["of all of it", ["number", "bar-list", "histogram", "table", "text"]]] as const) {
  journey(`a dashboard is made of a tile of every kind ${name}`, {
    start: `/project/${projects.large}/dashboards`,
    act: async ({ page, settled }) => {
      await newDashboard(page, `Tiles ${name}`);
      for (const kind of kinds) {
        await addTile(page, kind, async (dialog) => {
          if (kind === "text") await dialog.getByLabel("Text, in Markdown").fill("**Look** here first.");
          if (kind === "number") await dialog.getByRole("combobox", { name: "Filter of the tile" }).fill("level:ERROR");
        });
      }
      await save(page);
      await settled();
      expect(await tiles(page).count()).toBe(kinds.length);
      expect(await page.getByText("Nothing in this time").count()).toBe(0);
      if (name === "over time") return;
      expect(await number(page, "A number").innerText()).toMatch(/^[1-9]/);
      await page.locator("strong", { hasText: "Look" }).waitFor();
    },
    kept: async (page) => [await page.getByRole("heading", { level: 1 }).innerText(), await places(page)],
  });
}

journey("tiles are moved and sized by keys and by the mouse, and stay there", {
  start: `/project/${projects.large}/dashboards`,
  act: async ({ page, settled }) => {
    await newDashboard(page, "Moved");
    for (const kind of ["number", "line"]) await addTile(page, kind);
    expect(await places(page)).toEqual(["1 / span 3 / 1 / span 2", "4 / span 6 / 1 / span 4"]);
    await page.getByRole("button", { name: /^Size of A number/ }).press("ArrowLeft");
    await page.getByRole("button", { name: /^Move A line/ }).press("ArrowLeft");
    expect(await places(page)).toEqual(["1 / span 2 / 1 / span 2", "3 / span 6 / 1 / span 4"]);
    const column = (await page.getByRole("list", { name: "Tiles" }).boundingBox())!.width / 12;
    await drag(page, /^Move A line/, column * 2, 0);
    await drag(page, /^Size of A line/, column * 2, 76);
    expect(await places(page)).toEqual(["1 / span 2 / 1 / span 2", "5 / span 8 / 1 / span 5"]);
    await save(page);
    await settled();
  },
  kept: places,
});

async function drag(page: Page, handle: RegExp, x: number, y: number): Promise<void> {
  const box = (await page.getByRole("button", { name: handle }).boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + x, box.y + box.height / 2 + y, { steps: 5 });
  await page.mouse.up();
}

journey("a built-in dashboard is changed, and reset", {
  start: `/project/${projects.empty}/dashboards`,
  act: async ({ page, settled }) => {
    await page.getByRole("link", { name: "Latency and errors" }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await settled();
    await page.getByRole("button", { name: /^Remove/ }).first().click();
    await save(page);
    await page.getByRole("link", { name: "All dashboards" }).click();
    const row = page.getByRole("row", { name: /Latency and errors/ });
    await row.getByRole("button", { name: "Reset Latency and errors" }).click();
    const sure = page.getByRole("alertdialog");
    await sure.getByRole("textbox").fill("Latency and errors");
    await sure.getByRole("button", { name: "Reset dashboard" }).click();
    await row.getByText("9 tiles").waitFor();
  },
  kept: (page) => page.getByRole("row", { name: /Latency and errors/ }).innerText(),
});

journey("on a phone tiles stand one below the other", {
  start: at("usage"), size: "phone",
  act: async ({ page }) => {
    const lefts = await tiles(page).evaluateAll((list) => list.map((one) => Math.round(one.getBoundingClientRect().left)));
    expect(new Set(lefts)).toEqual(new Set([12]));
    await page.getByRole("button", { name: "Actions of Traces", exact: true }).click();
    await page.getByRole("menuitem", { name: "Show the rows" }).click();
    await page.waitForURL(/\/observations\?/);
  },
  kept: (page) => page.getByRole("heading", { level: 1 }).innerText(),
});
