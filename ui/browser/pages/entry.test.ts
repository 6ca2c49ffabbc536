import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { post, sendSpans, signIn } from "../api";
import { journeys, sharedBrowser } from "../journey";
import { visit } from "../page";
import { person, startServer } from "../server";

const { projects, url } = inject("world");
const list = `/project/${projects.large}/traces`;
const journey = journeys();
const shared = sharedBrowser();

journey("a stranger signs in and gets to the page they asked for", {
  start: `${list}?range=7d`, stranger: true,
  act: async ({ page }) => {
    await page.waitForURL(/\/auth\/sign-in\?next=/);
    await page.getByLabel("Email").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/traces\?range=7d$/);
  },
  kept: (page) => page.getByRole("heading", { level: 1 }).innerText(),
});

test("a wrong password is said to be one, and says no more", async () => {
  const { page, settled, close } = await visit(shared.browser, { stranger: true });
  await page.goto("/auth/sign-in");
  await settled();
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").first().waitFor();
  expect(new URL(page.url()).pathname).toBe("/auth/sign-in");
  await close();
});

test("who comes from elsewhere is not sent elsewhere after signing in", async () => {
  const { page, faults, close } = await visit(shared.browser);
  await page.goto("/auth/sign-in?next=https%3A%2F%2Ffar.example%2F");
  await page.waitForURL((address) => address.origin === url && !address.pathname.startsWith("/auth"));
  expect(faults).toEqual([]);
  await close();
});

test("an invitation makes an account that is signed in", async () => {
  const member = await signIn(url);
  const { link } = await post(url, member, "/api/ui/invitations", { organizationId: member.organizationId, email: `bob${Date.now()}@example.com`, role: "MEMBER" });
  const { pathname, search } = new URL(link);
  const { page, faults, close } = await visit(shared.browser, { stranger: true });
  await page.goto(pathname + search);
  await page.getByRole("heading", { name: "Join Acme" }).waitFor();
  await page.getByLabel("Your name").fill("Bob");
  await page.getByLabel("Password", { exact: true }).fill("a long password of Bob");
  await page.getByRole("button", { name: "Create account and join" }).click();
  await page.waitForURL(/\/project\//);
  expect(faults).toEqual([]);
  await close();
});

test("a new server is set up, and leads to its first trace", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "sonde-first-run-"));
  const server = await startServer(dataDir, { withPerson: false });
  try {
    const { page, faults, close } = await visit(shared.browser, { stranger: true, url: server.url, clock: "real" });
    await page.goto("/");
    await page.waitForURL(/\/setup$/);
    await page.getByLabel("Name", { exact: true }).fill("Grace");
    await page.getByLabel("Email").fill("grace@example.com");
    await page.getByLabel("Password", { exact: true }).fill("a long password of Grace");
    await page.getByRole("button", { name: "Set up and send a first trace" }).click();
    await page.waitForURL(/\/project\/[^/]+\/setup/);
    expect(faults).toEqual([]);
    await close();
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test("the first trace of an empty project is seen to arrive", async () => {
  const member = await signIn(url);
  const project = await post(url, member, "/api/ui/projects", { organizationId: member.organizationId, name: `First ${Date.now()}` });
  const key = await post(url, member, `/api/public/projects/${project.id}/apiKeys`, { name: "first" });
  const { page, settled, faults, close } = await visit(shared.browser, { clock: "real" });
  await page.goto(`/project/${project.id}/setup`);
  await settled();
  const traceId = "f1".repeat(16);
  await sendSpans(url, [{ traceId, spanId: "00000000000000f1", name: "first", start: Date.now() - 100, end: Date.now() }], key);
  await page.getByRole("link", { name: "Open your first trace" }).click({ timeout: 30_000 });
  await page.waitForURL(new RegExp(`/traces/${traceId}`));
  expect(faults).toEqual([]);
  await close();
});

test("a sample trace can be sent from the page itself", async () => {
  const member = await signIn(url);
  const project = await post(url, member, "/api/ui/projects", { organizationId: member.organizationId, name: `Sample ${Date.now()}` });
  const { page, settled, faults, close } = await visit(shared.browser, { clock: "real" });
  await page.goto(`/project/${project.id}/setup`);
  await settled();
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByRole("button", { name: "Send a sample trace" }).click();
  await page.getByRole("link", { name: "Open your first trace" }).click({ timeout: 30_000 });
  await page.getByRole("tree", { name: "Observations" }).getByRole("treeitem").first().waitFor();
  expect(faults).toEqual([]);
  await close();
});
