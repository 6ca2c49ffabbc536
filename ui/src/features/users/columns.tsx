import { Link } from "@tanstack/react-router";
import type { UserActivity } from "@/shared/activity/api";
import { useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import type { Column } from "@/shared/table/columns";
import { Badge } from "@/shared/ui/Badge";
import { Money, Tokens } from "@/shared/ui/Figures";
import { AbsoluteTime, RelativeTime } from "@/shared/ui/RelativeTime";

function UserLink({ row }: { row: UserActivity }) {
  const { id } = useProject();
  return (
    <Link to="/project/$projectId/users/$userId" params={{ projectId: id, userId: row.id }} className="truncate font-medium hover:underline" tabIndex={-1} title={row.id}>
      {row.id}
    </Link>
  );
}

function Card({ row }: { row: UserActivity }) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-0.5 px-1">
      <div className="flex items-center gap-1.5">
        <span className="min-w-0 flex-1 truncate text-sm font-medium">{row.id}</span>
        {row.errors > 0 && <Badge tone="danger">{formatCount(row.errors)} errors</Badge>}
        <RelativeTime value={row.lastSeen} className="shrink-0 text-text-3" />
      </div>
      <div className="flex gap-3 text-text-2">
        <span>{formatCount(row.traces)} {row.traces === 1 ? "trace" : "traces"}</span>
        <Tokens count={row.totalTokens || null} />
        <Money amount={row.totalCost || null} />
      </div>
    </div>
  );
}

export const card = { height: 60, column: { id: "card", header: "User", cell: (row: UserActivity) => <Card row={row} />, width: 0, grows: true } };

const columns: Column<UserActivity>[] = [
  { id: "id", header: "User", cell: (row) => <UserLink row={row} />, width: 220, grows: true },
  { id: "traces", header: "Traces", cell: (row) => formatCount(row.traces), width: 84, align: "end", sortable: true },
  { id: "sessions", header: "Sessions", cell: (row) => formatCount(row.sessions), width: 84, align: "end" },
  { id: "errors", header: "Errors", cell: (row) => <span className={row.errors > 0 ? "text-danger" : "text-text-3"}>{formatCount(row.errors)}</span>, width: 84, align: "end", sortable: true },
  { id: "totalTokens", header: "Tokens", cell: (row) => <Tokens count={row.totalTokens || null} />, width: 96, align: "end", sortable: true },
  { id: "totalCost", header: "Cost", cell: (row) => <Money amount={row.totalCost || null} />, width: 96, align: "end", sortable: true },
  { id: "firstSeen", header: "First seen", cell: (row) => <AbsoluteTime value={row.firstSeen} className="whitespace-nowrap text-text-2" />, width: 160, sortable: true },
  { id: "lastSeen", header: "Last seen", cell: (row) => <AbsoluteTime value={row.lastSeen} className="whitespace-nowrap text-text-2" />, width: 160, sortable: true },
];

export const known: ReadonlyMap<string, Column<UserActivity>> = new Map(columns.map((column) => [column.id, column]));
export const shown = columns.map(({ id }) => ({ id, pinned: false }));
