import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { parse } from "@/shared/filter/parse";
import { cx } from "@/shared/lib/classes";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { QueryBar } from "@/shared/ui/QueryBar";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { TypeIcon } from "@/shared/ui/TypeIcon";
import { type Row, rowsQuery } from "./api";
import { ruleColumns } from "./ruleDraft";

interface RowPickerProps {
  traceId: string;
  observationId: string;
  onPick: (row: Row) => void;
}

/** Chooses an observation among the newest that match a query. */
export function RowPicker({ traceId, observationId, onPick }: RowPickerProps) {
  const project = useProject();
  const name = useId();
  const [query, setQuery] = useState("type:GENERATION");
  const { conditions, search } = parse(query, ruleColumns);
  const { data, error, refetch } = useQuery(rowsQuery(project, conditions));
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <QueryBar label="Observations to try it on" value={query} onCommit={setQuery} catalog={ruleColumns} placeholder="name:answer level:ERROR" />
      {search !== "" && <p className="text-xs text-warn">Words alone are not looked for here; name a column, such as name:{search.split(" ")[0]}.</p>}
      {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact className="p-0!" />}
      {error === null && data === undefined && <SkeletonRows rows={4} label="Loading observations" />}
      {data?.length === 0 && <EmptyState title="No observations" className="py-3!">{query === "" ? "Send a trace first." : "Nothing matches the query."}</EmptyState>}
      {data !== undefined && data.length > 0 && (
        <fieldset className="flex max-h-52 min-w-0 flex-col overflow-auto rounded-md border border-line">
          <legend className="sr-only">Observation</legend>
          {data.map((row) => {
            const chosen = row.id === observationId && row.traceId === traceId;
            return (
              <label key={`${row.traceId} ${row.id}`} className={cx("relative flex min-h-7 cursor-pointer items-center gap-2 px-2 text-xs has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus pointer-coarse:min-h-11", chosen ? "bg-selected" : "hover:bg-surface")}>
                <input type="radio" name={name} className="absolute inset-0 cursor-pointer opacity-0" checked={chosen} onChange={() => onPick(row)} />
                <TypeIcon type={row.type} />
                <span className="min-w-0 flex-1 truncate">{row.name || row.id}</span>
                <span className="shrink-0 truncate text-text-3 max-sm:hidden">{row.traceName ?? ""}</span>
                <RelativeTime value={row.startTime} className="shrink-0 text-text-3" />
              </label>
            );
          })}
        </fieldset>
      )}
    </div>
  );
}
