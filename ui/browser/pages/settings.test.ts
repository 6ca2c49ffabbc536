import { expect, inject } from "vitest";
import { journeys } from "../journey";

const { projects } = inject("world");
const at = (page: string) => `/project/${projects.small}/settings/${page}`;
const journey = journeys();

journey("a key is made, its secret shown once, and the key revoked", {
  start: at("api-keys"),
  act: async ({ page }) => {
    const note = `browser ${Date.now()}`;
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Note").fill(note);
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const shown = page.getByRole("dialog", { name: "Your new key" });
    expect(await shown.getByRole("textbox", { name: "Secret key" }).inputValue()).toMatch(/^sk-lf-/);
    await shown.getByRole("button", { name: "I have copied it" }).click();
    await page.getByText(note).first().waitFor();
  },
  kept: (page) => page.getByText(/^sk-lf-\w{12,}$/).count(),
});

journey("somebody is invited", {
  start: at("members"),
  act: async ({ page }) => {
    await page.getByRole("button", { name: "Invite" }).first().click();
    await page.getByRole("dialog").getByLabel("Email").fill(`carol${Date.now()}@example.com`);
    await page.getByRole("button", { name: "Make the link" }).click();
    const shown = page.getByRole("dialog", { name: /^Invitation for carol/ });
    expect(await shown.getByRole("textbox", { name: "Link" }).inputValue()).toContain("/auth/sign-up?invitation=");
    await shown.getByRole("button", { name: "I have copied it" }).click();
  },
  kept: (page) => page.getByText(/carol\d+@example.com/).count(),
});

journey("a project is not deleted before its name is typed", {
  start: at("general"),
  act: async ({ page }) => {
    await page.getByRole("button", { name: "Delete project…" }).click();
    const asked = page.getByRole("alertdialog");
    const really = asked.getByRole("button", { name: /^Delete/ });
    expect(await really.isDisabled()).toBe(true);
    await asked.getByRole("textbox").fill("Small");
    await expect.poll(() => really.isEnabled()).toBe(true);
    await page.keyboard.press("Escape");
    await asked.waitFor({ state: "detached" });
  },
  kept: (page) => page.getByLabel("Name", { exact: true }).inputValue(),
});

journey("requests that were accepted are listed", {
  start: `/project/${projects.large}/settings/ingestion`,
  act: async ({ page }) => page.getByText("/api/public/otel/v1/traces").first().waitFor(),
  kept: (page) => page.getByRole("heading").allInnerTexts(),
});

journey("models have their prices", {
  start: at("models"),
  act: async ({ page }) => page.getByText("gpt-4o").first().waitFor(),
  kept: (page) => page.getByRole("heading").allInnerTexts(),
});
