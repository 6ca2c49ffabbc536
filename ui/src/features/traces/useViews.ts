import { useQuery } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { Search } from "@/shared/lib/search";
import type { TableName } from "./listState";
import { isModified, loadViews, plain, viewQuery } from "./savedViews";

/** The views of a list. */
export function useViews(project: Project, table: TableName) {
  return useQuery({ queryKey: ["saved-views", project.id, table], queryFn: ({ signal }) => loadViews(project, table, signal) });
}

/** The view that the address names, and whether the address shows something else by now. */
export function useCurrentView(project: Project, search: Search) {
  const id = typeof search.view === "string" && search.view !== plain ? search.view : undefined;
  const { data: current } = useQuery({ ...viewQuery(project, id ?? ""), enabled: id !== undefined });
  return { current, modified: current !== undefined && isModified(search, current) };
}
