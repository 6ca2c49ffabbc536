import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Skeleton } from "@/shared/ui/Skeleton";
import { defaultViewsQuery } from "./api";
import { Section } from "./Section";

const lists = {
  traces: { label: "Traces", to: "/project/$projectId/traces" },
  observations: { label: "Observations", to: "/project/$projectId/observations" },
} as const;

/** Which saved view a list begins with. It is chosen where the views are: in the menu of the list. */
export function DefaultViews() {
  const project = useProject();
  const { data, error, refetch } = useQuery(defaultViewsQuery(project));
  const shown = Object.entries(lists).map(([table, list]) => ({ ...list, view: data?.find((view) => view.tableName === table) }));
  return (
    <Section title="Default views" description="The saved view that a list begins with. Open a view in the menu Views of the list to make it the default or take that back.">
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} compact className="p-0!" />}
      {error === null && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
          {shown.map(({ label, to, view }) => (
            <div key={to} className="contents">
              <dt className="text-text-2">{label}</dt>
              <dd className="min-w-0 truncate">
                {data === undefined && <Skeleton className="w-24" />}
                {data !== undefined && (view === undefined ? "None, the plain list" : <Link to={to} params={{ projectId: project.id }} search={{ view: view.id } as never} className="text-accent underline">{view.name}</Link>)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}
