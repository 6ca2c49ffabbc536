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
  /** Another server than the shared one. */
  url?: string;
}

/** The page of components. The built binary does not have it, nor a policy for it. */
export const components = ({ gallery }: World): Route => ({ name: "components", url: gallery, data: "/components", dialog: null, fails: null, stranger: true });

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

async function viewQuery(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Actions of/ }).first().click();
  await page.getByRole("menuitem", { name: "View query" }).click();
  await page.getByRole("dialog", { name: /^Query of/ }).waitFor();
}

async function newAlert(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Actions of/ }).first().click();
  await page.getByRole("menuitem", { name: "Create an alert" }).click();
  await page.getByRole("dialog", { name: /^Alert on/ }).waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+K");
  await page.getByRole("dialog", { name: "Search and commands" }).waitFor();
}

async function openItem(page: Page): Promise<void> {
  await page.getByText("support-question-01", { exact: true }).first().click();
  await page.getByRole("dialog", { name: "support-question-01" }).waitFor();
}

async function signInWrongly(page: Page): Promise<void> {
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").first().waitFor();
}

const dialogs: Record<string, Route["dialog"]> = { "api-keys": openBy("Create key"), members: openBy("Invite"), general: openBy("Delete project…"), "llm-connections": openBy("Connect a provider"), "score-configs": openBy("New config") };

export function routes({ projects: { large, empty }, traces, dataset, refunds, queues, experiments, evaluators, rules }: World): Route[] {
  const nowhere = "0".repeat(31) + "1";
  const of = (path: string, more: Partial<Route> = {}): Route => ({ name: path === "" ? "overview" : path, data: `/project/${large}/${path}`, empty: `/project/${empty}/${path}`, ...more });
  return [
    of("traces", { dialog: saveView }),
    of("observations", { dialog: openPalette }),
    of("evaluators", { dialog: openBy("New rule…") }),
    { name: "evaluator", data: `/project/${large}/evaluators/${evaluators["Length of answers"]}`, empty: `/project/${large}/evaluators/nobody`, dialog: openBy("New rule…") },
    { name: "evaluator, two versions", data: `/project/${large}/evaluators/${evaluators["Length of answers"]}?diff=1`, dialog: null },
    { name: "new evaluator", data: `/project/${large}/evaluators/new`, empty: `/project/${empty}/evaluators/new` },
    { name: "new judge", data: `/project/${large}/evaluators/new?kind=judge`, empty: `/project/${empty}/evaluators/new?kind=judge`, dialog: null },
    { name: "evaluation rule", data: `/project/${large}/evaluators/rules/${rules["Support answers"]}`, empty: `/project/${large}/evaluators/rules/nobody`, dialog: openBy("Backfill…") },
    { name: "trace", data: `/project/${large}/traces/${traces["every-kind"]}`, empty: `/project/${empty}/traces/${nowhere}` },
    ...["tree", "transcript", "graph", "log"].map((view): Route => ({ name: `trace, ${view}`, data: `/project/${large}/traces/${traces["every-kind"]}?view=${view}`, dialog: null })),
    { name: "trace, an observation", data: `/project/${large}/traces/${traces["scripts-and-markup"]}?tab=io`, dialog: openPalette },
    of(""),
    of("sessions"),
    { name: "session", data: `/project/${large}/sessions/visit-0042`, empty: `/project/${large}/sessions/nobody` },
    of("users"),
    { name: "user", data: `/project/${large}/users/guest-02`, empty: `/project/${large}/users/nobody` },
    of("prompts"),
    { name: "prompt", data: `/project/${large}/prompts/support/answer`, empty: `/project/${empty}/prompts/nothing`, dialog: openBy("Label…") },
    { name: "prompt, a chat", data: `/project/${large}/prompts/support/triage` },
    { name: "prompt, two versions", data: `/project/${large}/prompts/support/answer?version=30&diff=2` },
    { name: "prompt, usage", data: `/project/${large}/prompts/support/answer?tab=usage`, empty: `/project/${large}/prompts/support/triage?tab=usage` },
    ...["use", "references"].map((tab): Route => ({ name: `prompt, ${tab}`, data: `/project/${large}/prompts/support/triage?tab=${tab}` })),
    { name: "new prompt", data: `/project/${large}/prompts/new`, fails: null },
    { name: "playground", data: `/project/${large}/playground?from=prompt:2:support/answer`, empty: `/project/${empty}/playground`, dialog: openBy("Save variant A as a prompt") },
    { name: "two traces", data: `/project/${large}/traces/diff?a=${traces["every-kind"]}&b=${traces["scripts-and-markup"]}`, empty: `/project/${large}/traces/diff` },
    of("datasets", { dialog: openBy("New dataset") }),
    { name: "datasets, a folder", data: `/project/${large}/datasets?folder=support`, empty: `/project/${large}/datasets?folder=nothing`, dialog: null },
    { name: "dataset, with a schema", data: `/project/${large}/datasets/${refunds.id}?status=ALL`, dialog: openBy("Schema") },
    { name: "dataset", data: `/project/${large}/datasets/${dataset.id}`, empty: `/project/${large}/datasets/${dataset.id}?q=nobody+wrote+this`, dialog: openBy("Export") },
    { name: "dataset item", data: `/project/${large}/datasets/${dataset.id}/items/${dataset.item}`, empty: `/project/${large}/datasets/${dataset.id}/items/nobody` },
    { name: "new dataset item", data: `/project/${large}/datasets/${dataset.id}/new` },
    { name: "import of items", data: `/project/${large}/datasets/${dataset.id}/import` },
    of("experiments"),
    ...["grid", "list"].map((layout) => of(`experiments/results?baseline=${experiments["gpt-4o, first prompt"]}&c=${experiments["gpt-4o, sources"]}&layout=${layout}`, { name: `results, ${layout}`, empty: layout === "grid" ? `/project/${empty}/experiments/results` : undefined, dialog: openItem })),
    of(`experiments/results?baseline=${experiments["gpt-4o, first prompt"]}&c=${experiments["gpt-4o, sources"]}&plot=1&summary=hidden`, { name: "results, scatter", empty: undefined, dialog: null }),
    of("dashboards", { empty: undefined }),
    ...["usage", "latency", "scores"].map((id) => of(`dashboards/${id}`, { name: `dashboard, ${id}`, dialog: viewQuery })),
    { name: "dashboard, edited", data: `/project/${large}/dashboards/usage?edit=1`, dialog: openBy("Add tile") },
    of("alerts", { dialog: openBy("New target") }),
    { name: "alert, a new one", data: `/project/${large}/dashboards/latency`, dialog: newAlert },
    of("setup", { name: "first trace" }),
    ...["general", "api-keys", "members", "models", "score-configs", "llm-connections", "ingestion"].map((page) => of(`settings/${page}`, { dialog: dialogs[page] })),
    of("scores"),
    of("scores/analytics"),
    of("annotate", { dialog: openBy("New queue") }),
    { name: "review", data: `/project/${large}/annotate/${queues["Support answers"]}`, empty: `/project/${large}/annotate/${queues["Escalations"]}`, dialog: null },
    { name: "account", data: "/account/settings", fails: null },
    { name: "shared trace", data: `/public/traces/${traces["every-kind"]}?projectId=${large}`, empty: `/public/traces/${nowhere}`, dialog: null, stranger: true },
    { name: "sign in", data: "/auth/sign-in", dialog: null, fails: null, fail: signInWrongly, stranger: true },
    { name: "invitation", data: "/auth/sign-up?invitation=unknown", dialog: null, fails: null, stranger: true },
    { name: "first run", data: "/setup", dialog: null, fails: null, stranger: true },
    { name: "a trace by its id", data: `/trace/${nowhere}`, dialog: null },
    { name: "no such page", data: "/nowhere", dialog: null, fails: null },
  ];
}
