import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, type ReactNode } from "react";
import type { Api } from "@/shared/api/client";
import { ProjectContext, type Role } from "@/shared/api/project";
import { parseSearch, stringifySearch } from "@/shared/lib/search";
import { ToastProvider } from "@/shared/ui/Toast";
import { render } from "./render";

window.scrollTo = () => undefined; // jsdom lacks it, and the router scrolls

/** What the server answers, by "GET /api/public/models". Called with the options of the typed client. An error that is thrown is what the page gets. */
export type Answer = (options: { params?: { query?: Record<string, unknown>; path?: Record<string, unknown> }; body?: unknown }) => unknown;
export type Answers = Record<string, Answer>;

function fakeApi(answers: Answers): Api {
  const ask = (method: string) => async (path: string, options: Parameters<Answer>[0] = {}) => {
    const answer = answers[`${method} ${path}`];
    if (answer === undefined) throw new Error(`the test has no answer to ${method} ${path}`);
    return { data: answer(options) };
  };
  return Object.fromEntries(["GET", "POST", "PUT", "DELETE", "PATCH"].map((method) => [method, ask(method)])) as unknown as Api;
}

/** Shows a page of a project "p1", and waits until it has what it asked for. Gives the router, whose address is the page's state. */
export async function renderInProject(Page: () => ReactNode, answers: Answers, { role = "ADMIN" as Role, search = "" } = {}) {
  const project = { id: "p1", name: "Shop", organizationId: "o1", organizationName: "Acme", role, api: fakeApi(answers) };
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createRouter({ routeTree: createRootRoute({ component: Page }), history: createMemoryHistory({ initialEntries: [`/${search}`] }), parseSearch, stringifySearch });
  await act(() => router.load());
  render(
    <QueryClientProvider client={queries}>
      <ProjectContext value={project}><ToastProvider><RouterProvider router={router as never} /></ToastProvider></ProjectContext>
    </QueryClientProvider>,
  );
  await settle();
  return router;
}

/** Lets answers arrive and be drawn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- one answer leads to the next question
    await act(() => new Promise((done) => setTimeout(done, 0)));
  }
}
