import { queryOptions } from "@tanstack/react-query";
import { fetchRaw } from "@/shared/api/client";
import type { Project } from "@/shared/api/project";
import { parseSearch, type Search, stringifySearch } from "@/shared/lib/search";
import type { TableName } from "./listState";

export interface SavedView {
  id: string;
  tableName: TableName;
  name: string;
  shared: boolean;
  isDefault: boolean;
  ownerUserId: string | null;
  state: string;
}

const path = "/api/public/saved-views";

export async function loadViews(project: Project, table: TableName, signal: AbortSignal): Promise<SavedView[]> {
  const response = await fetchRaw(project.id, `${path}?${new URLSearchParams({ tableName: table, limit: "100" })}`, { signal });
  return ((await response.json()) as { data: SavedView[] }).data;
}

export const viewQuery = (project: Project, id: string) =>
  queryOptions({
    queryKey: ["saved-view", project.id, id],
    queryFn: async ({ signal }): Promise<SavedView> => (await fetchRaw(project.id, `${path}/${encodeURIComponent(id)}`, { signal })).json() as Promise<SavedView>,
  });

async function send<T>(project: Project, method: string, url: string, body?: unknown): Promise<T> {
  const response = await fetchRaw(project.id, url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }) });
  return (await response.json()) as T;
}

export type ViewDraft = Pick<SavedView, "name" | "state" | "shared" | "isDefault">;

export const createView = (project: Project, tableName: TableName, draft: ViewDraft) => send<SavedView>(project, "POST", path, { tableName, ...draft });
export const changeView = (project: Project, id: string, { name, state, shared, isDefault }: ViewDraft) => send<SavedView>(project, "PUT", `${path}/${encodeURIComponent(id)}`, { name, state, shared, isDefault });
export const deleteView = (project: Project, id: string) => send<unknown>(project, "DELETE", `${path}/${encodeURIComponent(id)}`);

/** The keys of an address that a view keeps. Which row is open is nobody's view. */
const kept = ["q", "range", "cols", "cmp", "chart"];

/** What a view would keep of an address, in one form. */
export function stateOf(search: Search): string {
  return stringifySearch(Object.fromEntries(kept.map((key) => [key, search[key]]))).slice(1);
}

/** Whether the address shows something else than the view. */
export function isModified(search: Search, view: SavedView): boolean {
  return stateOf(search) !== stateOf(parseSearch(view.state));
}

/** The address of a view: what it kept, and its name. */
export function searchOf(view: SavedView): Search {
  return { ...parseSearch(stateOf(parseSearch(view.state))), view: view.id };
}

/** An address that names a view and nothing that it keeps: the view has to be read first. */
export function namesViewOnly(search: Search): boolean {
  return search.view !== undefined && search.view !== plain && stateOf(search) === "";
}

/** The "view" of somebody who wants none, where another one is the default. */
export const plain = "none";
