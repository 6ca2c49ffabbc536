import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { create, type Member, read, signInColleague, until } from "./api";
import { expectParam, journeys, param, sharedBrowser } from "./journey";
import { visit } from "./page";

const { url, projects, traces } = inject("world");
const at = (path: string) => `/project/${projects.large}/${path}`;
const journey = journeys();
const shared = sharedBrowser();

/** How long the server keeps an item for somebody who is gone. */
const holdMs = 120_000;

/** A queue of its own for a journey that counts on what is in it. */
async function queueOf(name: string, ...objectIds: string[]): Promise<string> {
  const configs = (await read(url, "/api/public/score-configs?limit=100")).data as { id: string; name: string }[];
  const { id } = await create(url, "/api/public/annotation-queues", { name: `${name} ${Date.now()}`, scoreConfigIds: [configs.find((config) => config.name === "tone")!.id] });
  for (const objectId of objectIds) await create(url, `/api/public/annotation-queues/${id}/items`, { objectType: "TRACE", objectId });
  return id as string;
}

/** Takes the next item of a queue as somebody whose machine dies right after. */
async function takeAndVanish({ cookie, csrf }: Member, queueId: string): Promise<number> {
  const headers = { "Content-Type": "application/json", Cookie: cookie, "X-Sonde-Csrf": csrf, "X-Sonde-Project": projects.large };
  const response = await fetch(`${url}/api/public/annotation-queues/${queueId}/next`, { method: "POST", headers, body: "{}" });
  expect((await response.json()).lock).toMatchObject({ mine: true });
  return Date.now();
}

const three = [traces["every-kind"]!, traces["look-at-picture"]!, traces["two-roots"]!] as const;
const byKeys = await queueOf("By keys", ...three);
const forTwo = await queueOf("For two", ...three);
const toCorrect = await queueOf("To correct", traces["look-at-picture"]!);
const toNote = await queueOf("To note", traces["every-kind"]!);
const lost = await queueOf("Lost", traces["every-kind"]!);
const zoe = await signInColleague(url);
const lostAt = await takeAndVanish(zoe, lost);

const kind = (page: Page) => page.getByRole("radio", { name: /Kind/ });
const expectKind = (page: Page, checked = true) => expect.poll(() => kind(page).isChecked()).toBe(checked);

journey("what somebody else reviews is not handed out", {
  start: at(`annotate/${lost}`),
  act: async ({ page }) => {
    await page.getByText("Nothing is left for you right now").waitFor();
    await page.getByText("Also reviewing: Zoe").waitFor();
  },
  kept: (page) => page.getByText("Nothing is left for you right now").count(),
});

journey("a queue is made, and is there to be reviewed", {
  start: at("annotate"),
  act: async ({ page }) => {
    const name = `made ${Date.now()}`;
    await page.getByRole("button", { name: "New queue" }).click();
    const dialog = page.getByRole("dialog", { name: "New annotation queue" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Choose at least one score config.").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog.getByRole("button", { name: /^Score configs/ }).click();
    await page.getByRole("option", { name: "tone", exact: true }).click();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByText(`Nothing is in ${name} yet`).waitFor();
  },
  kept: (page) => page.getByRole("heading").allInnerTexts(),
});

journey("items are reviewed by keys alone: noted, skipped, completed, taken back", {
  start: at(`annotate/${byKeys}`),
  act: async ({ page, settled }) => {
    await expectParam(page, "item", /./);
    const first = param(page, "item")!;
    await kind(page).waitFor();
    await page.keyboard.press("3");
    await expectKind(page);
    await page.keyboard.press("ArrowRight"); // at once: what was noted is not lost
    await expect.poll(() => param(page, "item")).not.toBe(first);
    await expectKind(page, false);
    await page.keyboard.press("ArrowLeft");
    await expectParam(page, "item", first);
    await expectKind(page);
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => param(page, "item")).not.toBe(first);
    await page.getByText("Reviewed: 1 of 3").waitFor();
    await page.keyboard.press("u");
    await expectParam(page, "item", first);
    await expectKind(page);
    await page.getByText("Reviewed: 0 of 3").waitFor();
    await page.keyboard.press("Control+Enter"); // once more
    await expect.poll(() => param(page, "item")).not.toBe(first);
    await settled();
    const scores = async () => (await read(url, `/api/public/v3/scores?traceId=${three.join(",")}&queueId=${byKeys}&fields=annotation,subject`)).data as { value: unknown; queueId: string }[];
    await until(async () => (await scores()).length === 1);
    expect((await scores())[0]).toMatchObject({ name: "tone", value: "Kind", queueId: byKeys, source: "ANNOTATION" });
  },
  kept: async (page) => [await page.getByText(/^Reviewed: 1 of 3/).count(), await page.getByRole("form", { name: "Scores" }).count()],
});

journey("what is noted survives a reload, even one at once", {
  start: at(`annotate/${toNote}`),
  act: async ({ page, settled }) => {
    await kind(page).waitFor();
    await page.keyboard.press("3");
    await expectKind(page);
    await page.reload();
    await settled();
    await expectKind(page);
    await page.getByLabel("Comment on tone").fill("Warm, and to the point");
    await page.getByText("Draft saved", { exact: true }).first().waitFor();
  },
  kept: (page) => page.getByLabel("Comment on tone").inputValue(),
});

journey("items are skipped by buttons on a phone, and back leaves the queue", {
  start: at("annotate"),
  size: "phone", touch: true,
  act: async ({ page }) => {
    await page.getByRole("link", { name: "Support answers", exact: true }).click();
    await expectParam(page, "item", /./);
    const first = param(page, "item");
    await page.goBack();
    await page.waitForURL(/\/annotate$/);
    await page.goForward();
    await expectParam(page, "item", first!);
    await page.getByRole("button", { name: "Skip to the next item" }).click();
    await expect.poll(() => param(page, "item")).not.toBe(first);
    await page.getByRole("button", { name: "Back to the item before" }).click();
    await expectParam(page, "item", first!);
  },
  kept: async (page) => [await page.getByRole("form", { name: "Scores" }).count(), param(page, "item")],
});

journey("a correction is shown as changes to the output, while it is written and with the trace", {
  start: at(`annotate/${toCorrect}`),
  act: async ({ page }) => {
    await page.getByRole("button", { name: "Correct the output" }).click();
    await page.getByLabel("What the output should have been").fill("The plug is broken.");
    const changes = page.getByRole("region", { name: "Changes to the output" });
    await expect.poll(async () => [await changes.locator("del").allTextContents(), await changes.locator("ins").allTextContents()]).toEqual([["gone: bent"], ["new: broken"]]);
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^Everything in To correct .* is reviewed/).waitFor();
    const ofTrace = `/api/public/v3/scores?traceId=${traces["look-at-picture"]}&name=output`;
    await until(async () => (await read(url, ofTrace)).data.length > 0);
    await page.goto(at(`traces/${traces["look-at-picture"]}?tab=scores`));
    await page.getByRole("region", { name: "Correction of the output" }).first().waitFor();
  },
  kept: (page) => page.getByRole("region", { name: "Correction of the output" }).first().locator("ins").allInnerTexts(),
});

test("two people never have the same item, and one who leaves lets theirs go", async () => {
  const [ada, her] = [await visit(shared.browser), await visit(shared.browser, { cookie: zoe.cookie })];
  for (const { page, settled } of [ada, her]) {
    await page.goto(at(`annotate/${forTwo}`));
    await settled();
    await expectParam(page, "item", /./);
  }
  const hers = param(ada.page, "item")!;
  expect(param(her.page, "item")).not.toBe(hers);
  await her.page.goto(at(`annotate/${forTwo}?item=${hers}`));
  await her.page.getByText("Ada is reviewing this item.").waitFor();
  expect(await kind(her.page).isDisabled()).toBe(true);
  await ada.page.getByRole("link", { name: "Scores", exact: true }).click(); // another page
  await ada.page.getByRole("heading", { name: "Scores", level: 1 }).waitFor();
  await ada.settled();
  await her.page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => kind(her.page).isEnabled()).toBe(true);
  await ada.page.goto(at(`annotate/${forTwo}?item=${hers}`));
  await ada.page.getByText("Zoe is reviewing this item.").waitFor();
  const refused = /status of 409/; // which the browser notes
  for (const { faults, close } of [ada, her]) {
    expect(faults.filter((fault) => !refused.test(fault))).toEqual([]);
    await close();
  }
});

test("an item goes to the next person when the lock of a lost one has ended", { timeout: holdMs + 120_000 }, async () => {
  const { page, settled, faults, close } = await visit(shared.browser);
  await page.goto(at(`annotate/${lost}`));
  await settled();
  await page.waitForTimeout(Math.max(0, lostAt + holdMs + 1000 - Date.now()));
  if ((await kind(page).count()) === 0) await page.getByRole("button", { name: "Look again" }).click();
  await expect.poll(() => kind(page).isEnabled()).toBe(true);
  expect(faults).toEqual([]);
  await close();
});
