// @vitest-environment jsdom
import { act, Suspense } from "react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseSearch, stringifySearch } from "@/shared/lib/search";
import { cleanup, click, get, render, type } from "@/shared/test/render";
import { SignInPage } from "./SignInPage";

const nobody = { user: null, csrfToken: null, organizations: [], setupNeeded: false, signIn: { password: true, oidc: null as string | null } };
const ada = { ...nobody, user: { id: "u", email: "ada@example.com", name: "Ada", hasPassword: true, preferences: {} }, csrfToken: "c" };
// Requests of Node know no relative address.
const NodeRequest = Request;
class PageRequest extends NodeRequest {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, "http://localhost") : input, init);
  }
}
let session: object;
const sent: unknown[] = [];

const answer = (status: number, body: object) => new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

beforeEach(() => {
  session = nobody;
  sent.length = 0;
  vi.stubGlobal("Request", PageRequest);
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return answer(200, session);
    const body = (await request.json()) as { password: string };
    sent.push(body);
    return body.password === "right one" ? answer(200, ada) : answer(401, { message: "Wrong email or password" });
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function open(address: string) {
  const root = createRootRoute();
  const page = createRoute({ getParentRoute: () => root, path: "auth/sign-in", component: SignInPage });
  const rest = createRoute({ getParentRoute: () => root, path: "$", component: () => <p>elsewhere</p> });
  const router = createRouter({ routeTree: root.addChildren([page, rest]), history: createMemoryHistory({ initialEntries: [address] }), parseSearch, stringifySearch });
  render(<QueryClientProvider client={new QueryClient()}><Suspense><RouterProvider router={router as never} /></Suspense></QueryClientProvider>);
  await until(() => document.body.textContent !== "");
  return router;
}

/** Lets the page work until something is so. */
async function until(so: () => boolean) {
  for (let tries = 0; !so() && tries < 200; tries++) await act(() => new Promise((resolve) => setTimeout(resolve, 10)));
  expect(so()).toBe(true);
}
const field = (name: string) => document.querySelector<HTMLInputElement>(`input[name=${name}]`)!;

async function signIn(password: string) {
  await type(field("email"), "ada@example.com");
  await type(field("password"), password);
  await act(async () => field("email").form!.requestSubmit());
  await until(() => sent.length > 0);
}

describe("the sign-in page", () => {
  it("goes on to the page that was asked for", async () => {
    const router = await open("/auth/sign-in?next=%2Fproject%2Fp%2Ftraces%3Fq%3Dlevel%3AERROR");
    await signIn("right one");
    expect(sent).toEqual([{ email: "ada@example.com", password: "right one" }]);
    await until(() => router.state.location.href === "/project/p/traces?q=level%3AERROR");
  });
  it("says that it was refused, and empties the password", async () => {
    const router = await open("/auth/sign-in?next=%2F%2Fother.example");
    await signIn("wrong one");
    await until(() => document.querySelector("[role=alert]") !== null);
    expect(get("alert").textContent).toBe("Wrong email or password");
    expect(field("password").value).toBe("");
    expect(router.state.location.pathname).toBe("/auth/sign-in");
  });
  it("shows why a provider sent somebody back, as plain text", async () => {
    await open("/auth/sign-in?error=%3Cb%3Eno%3C%2Fb%3E");
    expect(get("alert").textContent).toBe("<b>no</b>");
  });
  it("leads through the provider, with the page to go on at", async () => {
    session = { ...nobody, signIn: { password: false, oidc: "Acme" } };
    await open("/auth/sign-in?next=%2Fproject%2Fp");
    expect(get("link", "Sign in with Acme").getAttribute("href")).toBe("/api/ui/oidc/start?next=%2Fproject%2Fp");
    expect(field("password")).toBeNull();
  });
  it("lets somebody pass who is signed in", async () => {
    session = ada;
    const router = await open("/auth/sign-in?next=%2Fproject%2Fp");
    await until(() => router.state.location.pathname === "/project/p");
  });
  it("shows and hides the password", async () => {
    await open("/auth/sign-in");
    await click(get("button", "Show"));
    expect(field("password").type).toBe("text");
  });
});
