import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useMemo } from "react";
import { ApiError } from "@/shared/api/errors";
import { one, type Search } from "@/shared/lib/search";
import { useTitle } from "@/shared/lib/useTitle";
import { traceQuery } from "@/shared/trace/loadTrace";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { ThemeToggle } from "@/shared/ui/ThemeToggle";
import { TraceScreen } from "./TraceScreen";

/** A public trace, for everybody who has the link. */
export function SharedTracePage() {
  const { traceId } = useParams({ from: "/public/traces/$traceId" });
  const projectId = one(useSearch({ strict: false }) as Search, "projectId");
  const source = useMemo(() => ({ traceId, projectId, shared: true }), [traceId, projectId]);
  const { data, error, refetch } = useQuery(traceQuery(source));
  useTitle(data?.rows.head.name || "Shared trace");
  const retry = () => void refetch();
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 items-center gap-2 border-b border-line bg-surface px-3 py-1 text-xs text-text-2">
        <span className="flex-1">A trace that was shared with everybody who has this link</span>
        <ThemeToggle />
      </div>
      <main className="min-h-0 flex-1">
        {data === undefined && <h1 className="sr-only">Shared trace</h1>}
        {data !== undefined && <TraceScreen key={traceId} source={source} loaded={data} error={error} onRetry={retry} />}
        {data === undefined && error === null && <SkeletonRows rows={20} label="Loading the trace" />}
        {data === undefined && error instanceof ApiError && error.status === 404 && <NotShared />}
        {data === undefined && error !== null && !(error instanceof ApiError && error.status === 404) && <ErrorState error={error} onRetry={retry} />}
      </main>
    </div>
  );
}

function NotShared() {
  return (
    <EmptyState icon={SearchX} title="There is no shared trace here">
      <p>It may have been deleted, or its people no longer share it; or a part of the link is missing. Ask who sent it to you for a new one.</p>
    </EmptyState>
  );
}
