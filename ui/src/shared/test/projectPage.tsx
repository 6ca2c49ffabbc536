import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRoute, createRouter, type RouteComponent, RouterProvider } from "@tanstack/react-router";
import { act } from "react";
import { vi } from "vitest";
import { createApi } from "@/shared/api/client";
import { ProjectContext } from "@/shared/api/project";
import { parseSearch, stringifySearch } from "@/shared/lib/search";
import { ToastProvider } from "@/shared/ui/Toast";
import { render } from "./render";

/** What the server answers to a path; an Error of a status is an answer of that status. */
export type Answers = Record<string, (search: URLSearchParams) => unknown>;

export class Refusal {
  constructor(readonly status: number, readonly message: string) {}
}

const NodeRequest = globalThis.Request;

/** Node's requests know no page that addresses are relative to, nor the signals of jsdom. */
class AddressedRequest extends NodeRequest {
  constructor(input: RequestInfo | URL, init: RequestInit = {}) {
    super(typeof input === "string" ? new URL(input, "http://localhost") : input, { ...init, signal: null });
  }
}

/** Shows a page of the project "p" at an address, before a server that answers as told. It returns where the page is, and what it asked. */
export async function renderProjectPage(path: string, Page: RouteComponent, address: string, answers: Answers) {
  const asked: string[] = [];
  // jsdom lays nothing out: every box has 640 by 640 pixels.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(640);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(640);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(640);
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(640);
  HTMLElement.prototype.scrollTo = () => undefined;
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("matchMedia", (query: string) => ({ matches: /min-width/.test(query), addEventListener: () => undefined, removeEventListener: () => undefined }));
  vi.stubGlobal("Request", AddressedRequest);
  vi.stubGlobal("fetch", async (input: Request | string) => {
    const url = new URL(typeof input === "string" ? input : input.url, "http://localhost");
    asked.push(url.pathname);
    const answer = answers[url.pathname]?.(url.searchParams) ?? new Refusal(404, `the test has no answer to ${url.pathname}`);
    if (answer instanceof Refusal) return Response.json({ message: answer.message }, { status: answer.status, headers: { "x-request-id": "REQ1" } });
    return Response.json(answer);
  });
  const root = createRootRoute();
  const routes = ["/", "setup", "traces", "traces/$traceId", "observations", "sessions", "sessions/$sessionId", "users", "users/$userId", "experiments", "experiments/results", "scores", "scores/analytics", "annotate", "annotate/$queueId", "settings/{-$page}", "traces/diff", "datasets", "datasets/$datasetId", "datasets/$datasetId/new", "datasets/$datasetId/import", "datasets/$datasetId/items/$itemId"];
  const project = createRoute({ getParentRoute: () => root, path: "project/$projectId" });
  const children = routes.map((route) => createRoute({ getParentRoute: () => project, path: route, component: route === path ? Page : () => <p>{route}</p> }));
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree: root.addChildren([project.addChildren(children)]), history, parseSearch, stringifySearch });
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const value = { id: "p", name: "Shop", organizationId: "o", organizationName: "Acme", role: "OWNER" as const, api: createApi("p") };
  await act(() => router.load());
  render(<QueryClientProvider client={queries}><ProjectContext value={value}><ToastProvider><RouterProvider router={router as never} /></ToastProvider></ProjectContext></QueryClientProvider>);
  await settle();
  return { asked, address: () => history.location.href };
}

let queries: QueryClient;

/** Waits until all answers have arrived and are drawn. */
export async function settle(): Promise<void> {
  const wait = () => act(() => new Promise((resolve) => setTimeout(resolve, 10)));
  for (let quiet = 0; quiet < 4; quiet = queries.isFetching() > 0 ? 0 : quiet + 1) await wait();
}
