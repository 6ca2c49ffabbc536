import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import type { Api } from "@/shared/api/client";
import { ProjectContext, type Role } from "@/shared/api/project";
import { type Session, sessionQuery } from "@/shared/api/session";
import { render } from "@/shared/test/render";
import { ToastProvider } from "@/shared/ui/Toast";

type Call = [request: string, body: unknown];

/** A client that answers from a table, "GET /path" to data or an error, and remembers what was asked of it. */
export function fakeApi(answers: Record<string, unknown>) {
  const calls: Call[] = [];
  const method = (name: string) => async (path: string, init?: { body?: unknown }) => {
    const request = `${name} ${path}`;
    calls.push([request, init?.body]);
    const answer = answers[request];
    if (answer instanceof Error) throw answer;
    return { data: answer };
  };
  const api = { GET: method("GET"), POST: method("POST"), PUT: method("PUT"), DELETE: method("DELETE") } as unknown as Api;
  /** What was changed: all but the reads. */
  const changes = () => calls.filter(([request]) => !request.startsWith("GET"));
  return { api, calls, changes };
}

export interface Standing {
  /** In the project. */
  role: Role;
  inOrganization?: Role;
}

let queries = new QueryClient();

/** Shows a page of the project "shop" of "Acme" to Ada, who has these roles, and waits until it has read what it needs. */
export async function showTo({ role, inOrganization = role }: Standing, api: Api, page: ReactNode): Promise<void> {
  queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(sessionQuery.queryKey, {
    user: { id: "u1", email: "ada@example.com", name: "Ada", hasPassword: true, preferences: {} }, csrfToken: "t", setupNeeded: false, signIn: { password: true, oidc: null },
    organizations: [{ id: "o1", name: "Acme", role: inOrganization, projects: [{ id: "p1", name: "shop", role }] }],
  } satisfies Session);
  const project = { id: "p1", name: "shop", organizationId: "o1", organizationName: "Acme", role, api };
  render(<QueryClientProvider client={queries}><ToastProvider><ProjectContext value={project}>{page}</ProjectContext></ToastProvider></QueryClientProvider>);
  await settle();
}

/** Until answers have come and are shown. */
export async function settle(): Promise<void> {
  await act(async () => {
    do await new Promise((resolve) => setTimeout(resolve, 20));
    while (queries.isFetching() + queries.isMutating() > 0);
  });
}

/** The input that a label names. */
export function field(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll("label")].find((each) => each.textContent === label);
  if (found === undefined) throw new Error(`no field ${label} in ${document.body.textContent}`);
  return document.getElementById(found.htmlFor) as HTMLInputElement;
}

/** Sends the form that is on screen, as Enter and its button do. */
export async function submit(): Promise<void> {
  await act(async () => document.querySelector("form")?.requestSubmit());
  await settle();
}

export async function choose(select: HTMLElement, value: string): Promise<void> {
  await act(async () => {
    (select as HTMLSelectElement).value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
}
