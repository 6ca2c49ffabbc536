import { useQuery } from "@tanstack/react-query";
import { Navigate, useSearch } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { one, type Search } from "@/shared/lib/search";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { ListPage, type ListPageProps } from "./ListPage";
import { namesViewOnly, searchOf, stateOf, viewQuery } from "./savedViews";

/** Turns the address of a saved view into the address of what it keeps, then shows the list. A bare address is that of the
 * default view. */
export function ViewGate(props: ListPageProps) {
  const project = useProject();
  const search = useSearch({ strict: false }) as Search;
  const bare = Object.values(search).every((value) => value === undefined);
  const id = namesViewOnly(search) ? one(search, "view") : bare ? project.defaultViews?.[props.table] : undefined;
  const { data, error, refetch } = useQuery({ ...viewQuery(project, id ?? ""), enabled: id !== undefined });
  const gone = bare && error !== null; // a default that was deleted is no reason to show nothing
  if (id === undefined || gone) return <ListPage key={props.table} {...props} />;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows rows={14} />;
  if (stateOf(searchOf(data)) === "") return <ListPage key={props.table} {...props} />;
  return <Navigate to="." search={{ ...searchOf(data), peek: search.peek } as never} replace />;
}
