import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams, useSearch } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { createApi } from "@/shared/api/client";
import { useSession } from "@/shared/api/session";
import { ToSignIn } from "@/shared/ui/Redirect";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";

const atOnce = 4;

/** A trace by its id alone: finds the project it is in, keeps the rest of the address. */
export function FindTracePage() {
  const { traceId } = useParams({ from: "/trace/$traceId" });
  const search = useSearch({ strict: false });
  const session = useSession();
  const projectIds = session.organizations.flatMap(({ projects }) => projects.map(({ id }) => id));
  const { data, error, refetch } = useQuery({
    queryKey: ["project-of-trace", traceId, ...projectIds],
    enabled: session.user !== null,
    queryFn: ({ signal }) => projectOf(traceId, projectIds, signal),
  });
  if (session.user === null) return <ToSignIn />;
  if (data) return <Navigate to="/project/$projectId/traces/$traceId" params={{ projectId: data, traceId }} search={search} replace />;
  return (
    <main>
      <h1 className="sr-only">Find a trace</h1>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <p role="status" className="p-6 text-sm text-text-2">Looking for the trace in your projects …</p>}
      {data === null && <NoneHasIt />}
    </main>
  );
}

function NoneHasIt() {
  return (
    <EmptyState icon={SearchX} title="None of your projects has this trace">
      <p>It may have been deleted, by somebody or because its project keeps traces for a limited time only; or it is in a project that you may not see. Ask who sent you the link which project it is.</p>
    </EmptyState>
  );
}

/** The first project that has something of the trace; a few are asked at a time. */
async function projectOf(traceId: string, projectIds: readonly string[], signal: AbortSignal): Promise<string | null> {
  for (let from = 0; from < projectIds.length; from += atOnce) {
    const asked = projectIds.slice(from, from + atOnce);
    const answers = await Promise.all(asked.map(async (id) => {
      const { data } = await createApi(id).GET("/api/public/v2/observations", { params: { query: { traceId, limit: 1, fields: "core" } }, signal });
      return (data?.data.length ?? 0) > 0;
    }));
    const found = asked[answers.indexOf(true)];
    if (found !== undefined) return found;
  }
  return null;
}
