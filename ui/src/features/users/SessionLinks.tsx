import { Link } from "@tanstack/react-router";
import type { SessionActivity } from "@/shared/activity/api";
import { useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import { Money } from "@/shared/ui/Figures";
import { RelativeTime } from "@/shared/ui/RelativeTime";

/** A short list of sessions. */
export function SessionLinks({ rows }: { rows: readonly SessionActivity[] }) {
  const { id: projectId } = useProject();
  return (
    <ul aria-label="Latest sessions" className="flex flex-col px-2 pb-2">
      {rows.map((row) => (
        <li key={row.id} className="flex min-w-0 items-center gap-2 rounded-md px-2 py-0.5 text-xs hover:bg-surface">
          <Link to="/project/$projectId/sessions/$sessionId" params={{ projectId, sessionId: row.id }} className="inline-flex min-h-7 min-w-0 items-center font-medium hover:underline pointer-coarse:min-h-11">
            <span className="truncate">{row.id}</span>
          </Link>
          <span className="ml-auto flex shrink-0 gap-3 text-text-2">
            <span>{formatCount(row.traces)} {row.traces === 1 ? "turn" : "turns"}</span>
            <Money amount={row.totalCost || null} />
            <RelativeTime value={row.lastSeen} className="w-20 text-right text-text-3" />
          </span>
        </li>
      ))}
    </ul>
  );
}
