import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import type { Search } from "@/shared/lib/search";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Badge } from "@/shared/ui/Badge";
import { ErrorState } from "@/shared/ui/ErrorState";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { Skeleton } from "@/shared/ui/Skeleton";
import { itemVersionsQuery } from "./api";

const to = (next: Search) => (() => next) as never;

/** All that an item was, the newest first; each can be looked at, or compared with what is shown. */
export function VersionRail({ itemId }: { itemId: string }) {
  const project = useProject();
  const [version] = useUrlState("version");
  const [compared] = useUrlState("diff");
  const { data, error, refetch } = useQuery(itemVersionsQuery(project, itemId));
  const shown = version === "" ? data?.data[0]?.version : version;
  return (
    <aside aria-label="Versions" className="flex shrink-0 flex-col gap-2 border-line p-4 max-md:border-t md:w-72 md:overflow-auto md:border-l">
      <h2 className="text-sm font-medium">Versions {data !== undefined && <span className="text-xs text-text-3">{formatCount(data.meta.totalItems)}</span>}</h2>
      {error !== null && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton className="h-16" />}
      <ol className="flex flex-col gap-1">
        {data?.data.map((each, index) => {
          const isShown = each.version === shown;
          return (
            <li key={each.version} className={cx("rounded-md border px-3 py-1.5 text-xs", isShown ? "border-accent bg-selected" : "border-line")}>
              <div className="flex items-center gap-2">
                <Link to="." search={to({ version: index === 0 && each.until === null ? undefined : each.version })} aria-current={isShown ? "true" : undefined} className="inline-flex min-h-6 items-center font-medium hover:underline">
                  <AbsoluteTime value={each.version} millis />
                </Link>
                {each.until === null && <Badge tone="accent">current</Badge>}
                {each.status === "ARCHIVED" && <Badge>archived</Badge>}
              </div>
              {!isShown && (
                <Link to="." search={to({ version: version || undefined, diff: each.version === compared ? undefined : each.version })} className="inline-flex min-h-6 items-center text-accent hover:underline">
                  {each.version === compared ? "Stop comparing" : "Compare"}<span className="sr-only"> with the version of {each.version}</span>
                </Link>
              )}
            </li>
          );
        })}
      </ol>
      {data !== undefined && data.meta.totalPages > 1 && <p className="text-xs text-text-3">The newest {formatCount(data.data.length)} are listed.</p>}
    </aside>
  );
}
