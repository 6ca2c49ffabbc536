import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { inject } from "vitest";
import { fixtureEnd } from "./setup";

export const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
export const themes = ["light", "dark"] as const;

/** The first of these that is there. The shell draws no window around its pages, which takes half the time. */
const browsers = [process.env.SONDE_CHROMIUM ?? "", "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export function launch(more: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: browsers.find((path) => existsSync(path)),
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb", "--font-render-hinting=none", ...more],
  });
}

export interface Visit {
  page: Page;
  /** Requests to anywhere but the server, what the browser complained about, and what the page's policy refused. */
  faults: string[];
  /** Paths of finished requests for data, in order. Streams of news do not count: they never end. */
  calls: string[];
  /** Waits until nothing is being asked for any more and the page has painted. */
  settled: () => Promise<void>;
  close: () => Promise<void>;
}

export interface VisitOptions {
  size?: keyof typeof sizes;
  /** Nobody is signed in. */
  stranger?: boolean;
  /** The cookie of somebody else. */
  cookie?: string;
  /** The clock of the page: at the end of the fixture unless the test sends news. */
  clock?: "fixture" | "real";
  /** Another server than the shared one. */
  url?: string;
  touch?: boolean;
}

/** A browser window of its own, with its own storage. */
export async function visit(browser: Browser, { size = "wide", stranger = false, cookie = inject("world").cookie, clock = "fixture", url = inject("world").url, touch = false }: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: url, viewport: sizes[size], hasTouch: touch, isMobile: touch, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  if (!stranger) await context.addCookies([cookieOf(cookie, url)]);
  if (clock === "fixture") await context.addInitScript(moveClock, Date.parse(fixtureEnd) + 1000);
  const faults: string[] = [];
  await watchOrigin(context, url, faults);
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    // oxlint-disable-next-line eslint/no-console -- the way out of the page
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => console.error(`policy: ${violatedDirective} ${blockedURI}`));
  });
  const { calls, settled } = watchCalls(page);
  return { page, faults, calls, settled, close: () => context.close() };
}

function cookieOf(text: string, url: string) {
  const [name, ...value] = text.split("=");
  return { name: name!, value: value.join("="), url, httpOnly: true, sameSite: "Lax" as const };
}

/** Runs in the page: its clock goes on from another moment. Timers stay as they are. */
function moveClock(start: number): void {
  const RealDate = Date;
  const shift = start - RealDate.now();
  const now = () => RealDate.now() + shift;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, parts) => (parts.length === 0 ? new target(now()) : Reflect.construct(target, parts)),
    get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
  });
}

async function watchOrigin(context: BrowserContext, url: string, faults: string[]): Promise<void> {
  await context.route((address) => /^(https?|wss?):/.test(address.protocol) && address.origin !== url, (route) => {
    faults.push(`left the origin: ${route.request().url()}`);
    return route.abort();
  });
}

const quietMs = 150;

/** Runs in the page: what was waiting has run, and a frame was drawn. A window that nobody looks at may never draw one. */
const painted = () => new Promise<void>((done) => {
  setTimeout(done, 500);
  setTimeout(() => requestAnimationFrame(() => done()));
});

function watchCalls(page: Page): Pick<Visit, "calls" | "settled"> {
  const calls: string[] = [];
  let open = 0;
  let last = Date.now();
  const isCall = (type: string) => type !== "eventsource";
  page.on("request", (request) => {
    if (!isCall(request.resourceType())) return;
    open += 1;
    last = Date.now();
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) calls.push(pathname);
  });
  const end = (request: { resourceType: () => string }) => {
    if (!isCall(request.resourceType())) return;
    open -= 1;
    last = Date.now();
  };
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  const quiet = () => open <= 0 && Date.now() - last >= quietMs;
  const settled = async () => {
    const deadline = Date.now() + 30_000;
    await page.locator("h1, [role=alert], [role=tree]").first().waitFor({ state: "attached" });
    do {
      while (!quiet() && Date.now() < deadline) await page.waitForTimeout(30);
      await page.evaluate(painted);
    } while (!quiet() && Date.now() < deadline);
  };
  return { calls, settled };
}
