import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Project } from "@/shared/api/project";
import { useStoredText } from "@/shared/lib/preferences";
import type { Search } from "@/shared/lib/search";
import type { TableName } from "./listState";
import { defaultOf, isModified, loadViews, plain, viewQuery } from "./savedViews";

const freshMs = 10 * 60_000;

/** Which view a list begins with, as far as this browser knows: most lists then need not ask. Undefined: it was never told. */
export function useDefaultView(project: Project, table: TableName) {
  const [stored, store] = useStoredText(`default-view.${project.id}.${table}`, "");
  const [now] = useState(() => Date.now());
  const [at, id] = stored.split(" ", 2);
  return {
    id: stored === "" ? undefined : id,
    fresh: now - Number(at || Number.NaN) < freshMs,
    remember: (view: string) => store(`${Date.now()} ${view}`),
  };
}

/** The views of a list. Reading them tells which one is the default. */
export function useViews(project: Project, table: TableName, enabled: boolean) {
  const { remember } = useDefaultView(project, table);
  return useQuery({
    queryKey: ["saved-views", project.id, table],
    enabled,
    queryFn: async ({ signal }) => {
      const views = await loadViews(project, table, signal);
      remember(defaultOf(views)?.id ?? "");
      return views;
    },
  });
}

/** The view that the address names, and whether the address shows something else by now. */
export function useCurrentView(project: Project, search: Search) {
  const id = typeof search.view === "string" && search.view !== plain ? search.view : undefined;
  const { data: current } = useQuery({ ...viewQuery(project, id ?? ""), enabled: id !== undefined });
  return { current, modified: current !== undefined && isModified(search, current) };
}
