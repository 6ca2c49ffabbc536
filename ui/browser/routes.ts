import type { Page } from "playwright-core";
import type { World } from "./setup";

/** A page as the checks of all pages visit it. A new page adds its line here. */
export interface Route {
  name: string;
  /** Where it shows something. */
  data: string;
  /** Where it has nothing to show; undefined: it always has something. */
  empty?: string;
  /** The list of keys, which every page in the frame has, unless it has a dialog of its own; null: it has none. */
  dialog?: ((page: Page) => Promise<void>) | null;
  /** What is asked for without success; null: the page asks for nothing. Everything of the public API unless given. */
  fails?: string | null;
  /** What somebody does to see it fail; nothing unless given. */
  fail?: (page: Page) => Promise<void>;
  stranger?: boolean;
}

const openBy = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("dialog").or(page.getByRole("alertdialog")).first().waitFor();
};

export async function openKeys(page: Page): Promise<void> {
  await page.locator("#main").focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
}

async function saveView(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save as a new view" }).click();
  await page.getByRole("dialog", { name: "Save view" }).waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+K");
  await page.getByRole("dialog", { name: "Search and commands" }).waitFor();
}

async function signInWrongly(page: Page): Promise<void> {
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").first().waitFor();
}

const dialogs: Record<string, Route["dialog"]> = { "api-keys": openBy("Create key"), members: openBy("Invite"), general: openBy("Delete project…") };

export function routes({ projects: { large, empty }, traces }: World): Route[] {
  const nowhere = "0".repeat(31) + "1";
  const of = (path: string, more: Partial<Route> = {}): Route => ({ name: path === "" ? "overview" : path, data: `/project/${large}/${path}`, empty: `/project/${empty}/${path}`, ...more });
  return [
    of("traces", { dialog: saveView }),
    of("observations", { dialog: openPalette }),
    of("evaluators", { dialog: openBy("New evaluator") }),
    { name: "trace", data: `/project/${large}/traces/${traces["every-kind"]}`, empty: `/project/${empty}/traces/${nowhere}` },
    ...["tree", "transcript", "graph", "log"].map((view): Route => ({ name: `trace, ${view}`, data: `/project/${large}/traces/${traces["every-kind"]}?view=${view}`, dialog: null })),
    { name: "trace, an observation", data: `/project/${large}/traces/${traces["scripts-and-markup"]}?tab=io`, dialog: openPalette },
    of(""),
    of("sessions"),
    { name: "session", data: `/project/${large}/sessions/visit-0042`, empty: `/project/${large}/sessions/nobody` },
    of("users"),
    { name: "user", data: `/project/${large}/users/guest-02`, empty: `/project/${large}/users/nobody` },
    of("setup", { name: "first trace" }),
    ...["general", "api-keys", "members", "models", "ingestion"].map((page) => of(`settings/${page}`, { dialog: dialogs[page] })),
    { name: "account", data: "/account/settings", fails: null },
    { name: "shared trace", data: `/public/traces/${traces["every-kind"]}?projectId=${large}`, empty: `/public/traces/${nowhere}`, dialog: null, stranger: true },
    { name: "sign in", data: "/auth/sign-in", dialog: null, fails: null, fail: signInWrongly, stranger: true },
    { name: "invitation", data: "/auth/sign-up?invitation=unknown", dialog: null, fails: null, stranger: true },
    { name: "first run", data: "/setup", dialog: null, fails: null, stranger: true },
    { name: "a trace by its id", data: `/trace/${nowhere}`, dialog: null },
    { name: "no such page", data: "/nowhere", dialog: null, fails: null },
    { name: "components", data: "/components", dialog: null, fails: null },
  ];
}
