import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import { sendSpans } from "./api";
import { expectParam, journeys } from "./journey";

const { projects, url, hook } = inject("world");
const alerts = `/project/${projects.large}/alerts`;
const hour = 3_600_000;
const week = 7 * 24 * hour;

const id = (bytes: number) => randomBytes(bytes).toString("hex");
const rowOf = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(name) });

/** Sends traces of one name that began so long ago. */
const sendTraces = (name: string, ages: readonly number[]) =>
  sendSpans(url, ages.map((age) => ({ traceId: id(16), spanId: id(8), name, start: Date.now() - age, end: Date.now() - age + 1000 })));

/** Opens the dialog on the tile that counts traces, under a filter of the page. */
async function openAlert(page: Page, name: string) {
  await page.getByRole("button", { name: "Actions of Traces", exact: true }).click();
  await page.getByRole("menuitem", { name: "Create an alert" }).click();
  const dialog = page.getByRole("dialog", { name: "Alert on Traces" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Over the last").fill("60");
  await dialog.getByLabel("Evaluated every").fill("1");
  return dialog;
}

/** Waits for what an alert says of itself. */
async function expectRow(page: Page, name: string, text: string | RegExp): Promise<void> {
  await page.goto(alerts);
  await expect.poll(async () => {
    await page.reload();
    return rowOf(page, name).first().innerText({ timeout: 10_000 });
  }, { timeout: 60_000, interval: 2000 }).toMatch(text);
}

async function deleteRow(page: Page, name: string, what: "alert" | "target"): Promise<void> {
  if (what === "alert") {
    await page.getByRole("button", { name: `Actions of ${name}` }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
  } else await page.getByRole("button", { name: `Delete ${name}` }).click();
  const sure = page.getByRole("alertdialog");
  await sure.getByRole("textbox").fill(name);
  await sure.getByRole("button", { name: `Delete ${what}` }).click();
  await sure.waitFor({ state: "hidden" });
  await rowOf(page, name).waitFor({ state: "detached" });
}

const usage = (traceName: string) => `/project/${projects.large}/dashboards/usage?range=1h&q=${encodeURIComponent(`name:=${traceName}`)}`;
const none = (page: Page, name: string) => rowOf(page, name).count();

const journey = journeys();

const limited = `limit-${id(4)}`;
journey("a limit is passed: the alert fires, its target is told, its history says so, and it is muted", {
  start: alerts, clock: "real",
  act: async ({ page, settled }) => {
    const target = `Hook ${id(3)}`;
    await page.getByRole("button", { name: "New target" }).click();
    const dialog = page.getByRole("dialog", { name: "New target" });
    await dialog.getByLabel("Name").fill(target);
    await dialog.getByLabel("Address").fill(hook);
    await dialog.getByRole("button", { name: "Add target" }).click();
    await page.getByLabel("Signing key", { exact: true }).waitFor();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: `Send a test to ${target}` }).click();
    await page.getByText(`${target} took the test message`).first().waitFor();

    await sendTraces(limited, [60_000, 30_000]);
    await page.goto(usage(limited));
    await settled();
    const form = await openAlert(page, limited);
    await form.getByLabel("Limit", { exact: true }).fill("1");
    await form.getByLabel(target).check();
    await form.getByRole("button", { name: "Create alert" }).click();
    await form.waitFor({ state: "hidden" });

    await expectRow(page, limited, /Firing/);
    const row = rowOf(page, limited).first();
    expect(await row.innerText()).toContain(`name:=${limited}`);
    await row.getByRole("button", { name: limited, exact: true }).click();
    await expectParam(page, "alert", /./);
    const history = page.getByRole("heading", { name: `History of ${limited}` });
    await history.waitFor();
    await page.getByText("OK → Firing").waitFor();
    await page.getByText("1 told").waitFor(); // the page asks every 15 s

    await page.getByRole("button", { name: `Actions of ${limited}` }).click();
    await page.getByRole("menuitem", { name: "Mute for an hour" }).click();
    await row.getByText(/Muted until/).waitFor();
    await page.goto(alerts);
    await deleteRow(page, limited, "alert");
    await deleteRow(page, target, "target");
  },
  kept: (page) => none(page, limited),
});

const absent = `absent-${id(4)}`;
journey("nothing came: the alert fires, and is evaluated again on request", {
  start: usage(absent), clock: "real",
  act: async ({ page }) => {
    const form = await openAlert(page, absent);
    await form.getByLabel("Fires when").selectOption("absence");
    await form.getByRole("button", { name: "Create alert" }).click();
    await form.waitFor({ state: "hidden" });
    await expectRow(page, absent, /no row over an hour[^]*Firing/);
    await sendTraces(absent, [60_000]);
    await page.getByRole("button", { name: `Actions of ${absent}` }).click();
    await page.getByRole("menuitem", { name: "Evaluate and send a test" }).click();
    await page.getByText("OK, value 1").first().waitFor();
    await deleteRow(page, absent, "alert");
  },
  kept: (page) => none(page, absent),
});

const weekly = `weekly-${id(4)}`;
journey("a change against last week fires, and says by how much", {
  start: usage(weekly), clock: "real",
  act: async ({ page }) => {
    await sendTraces(weekly, [week + hour / 2, 90_000, 60_000, 30_000]);
    const form = await openAlert(page, weekly);
    await form.getByLabel("Fires when").selectOption("week-change");
    await form.getByLabel("By at least, in percent").fill("50");
    await form.getByRole("button", { name: "Create alert" }).click();
    await form.waitFor({ state: "hidden" });
    await expectRow(page, weekly, /200\.0 % against 1 a week before[^]*Firing/);
    await deleteRow(page, weekly, "alert");
  },
  kept: (page) => none(page, weekly),
});

journey("an address inside of the operator's network is refused, and the form says so", {
  start: alerts,
  act: async ({ page, faults }) => {
    await page.getByRole("button", { name: "New target" }).click();
    const dialog = page.getByRole("dialog", { name: "New target" });
    await dialog.getByLabel("Name").fill("Inside");
    await dialog.getByLabel("Address").fill("https://10.0.0.7/hook");
    await dialog.getByRole("button", { name: "Add target" }).click();
    await dialog.getByText(/must be a public address/).first().waitFor();
    await page.keyboard.press("Escape");
    faults.splice(0); // the browser's own line about the refused request
  },
  kept: (page) => none(page, "Inside"),
});
