import { Link } from "@tanstack/react-router";
import type { components } from "@/shared/api/schema.d.ts";
import { useProject } from "@/shared/api/project";
import { Duration } from "@/shared/ui/Figures";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { TypeIcon } from "@/shared/ui/TypeIcon";

type Observation = components["schemas"]["Observation"];

/** A short list of observations, each with the way to its place in its trace. */
export function ObservationLinks({ label, rows }: { label: string; rows: readonly Observation[] }) {
  const { id: projectId } = useProject();
  return (
    <ul aria-label={label} className="flex flex-col px-2 pb-2">
      {rows.map((row) => (
        <li key={`${row.traceId}/${row.id}`} className="flex min-w-0 flex-col rounded-md px-2 py-0.5 text-xs hover:bg-surface">
          <span className="flex min-w-0 items-center gap-2">
            <TypeIcon type={row.type} />
            {row.traceId === null ? <span className="truncate font-medium">{row.name || row.id}</span> : (
              <Link
                to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: row.traceId }} search={(row.isRootObservation ? {} : { observation: row.id }) as never}
                className="inline-flex min-h-7 min-w-0 items-center font-medium hover:underline pointer-coarse:min-h-11"
              >
                <span className="truncate">{row.name || row.traceName || "(no name)"}</span>
              </Link>
            )}
            <LevelIcon level={row.level ?? "DEFAULT"} />
            <span className="ml-auto flex shrink-0 gap-3 text-text-2">
              <Duration ms={typeof row.latency === "number" ? row.latency * 1000 : null} />
              <RelativeTime value={row.startTime} className="w-20 text-right text-text-3" />
            </span>
          </span>
          {row.statusMessage && <span className="truncate pb-1 pl-6 text-text-2" title={row.statusMessage}>{row.statusMessage}</span>}
        </li>
      ))}
    </ul>
  );
}
