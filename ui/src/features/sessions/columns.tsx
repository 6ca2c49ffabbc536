import { Link } from "@tanstack/react-router";
import { createContext, use } from "react";
import type { SessionActivity } from "@/shared/activity/api";
import { useProject } from "@/shared/api/project";
import { formatCount, none } from "@/shared/lib/format";
import type { Column } from "@/shared/table/columns";
import { Badge } from "@/shared/ui/Badge";
import { Duration, Money, Tokens } from "@/shared/ui/Figures";
import { AbsoluteTime, RelativeTime } from "@/shared/ui/RelativeTime";
import { ScoreChip } from "@/shared/ui/ScoreChip";
import { Skeleton } from "@/shared/ui/Skeleton";
import type { SessionExtras } from "./api";

/** Cells that ask for what comes by a second request find it here: null where it could not be read. */
export const ExtrasContext = createContext<(id: string) => SessionExtras | null | undefined>(() => undefined);

function SessionLink({ row }: { row: SessionActivity }) {
  const { id } = useProject();
  return (
    <Link to="/project/$projectId/sessions/$sessionId" params={{ projectId: id, sessionId: row.id }} className="truncate font-medium hover:underline" tabIndex={-1} title={row.id}>
      {row.id}
    </Link>
  );
}

function Users({ row: { users, userCount } }: { row: SessionActivity }) {
  if (userCount === 0) return <span className="text-text-3">{none}</span>;
  return (
    <span className="flex min-w-0 gap-1" title={users.join(", ")}>
      <span className="truncate">{users[0]}</span>
      {userCount > 1 && <span className="shrink-0 text-text-3">+{formatCount(userCount - 1)}</span>}
    </span>
  );
}

function Environments({ row }: { row: SessionActivity }) {
  const extras = use(ExtrasContext)(row.id);
  if (extras === undefined) return <Skeleton className="w-3/4" />;
  if (extras === null || extras.environments.length === 0) return <span className="text-text-3">{none}</span>;
  return <span className="truncate" title={extras.environments.join(", ")}>{extras.environments.join(", ")}</span>;
}

function Scores({ row }: { row: SessionActivity }) {
  const extras = use(ExtrasContext)(row.id);
  if (extras === undefined) return <Skeleton className="w-1/2" />;
  if (extras === null || extras.scores.length === 0) return <span className="text-text-3">{none}</span>;
  return extras.scores.map((score) => <ScoreChip key={score.id} score={score} />);
}

function Card({ row }: { row: SessionActivity }) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-0.5 px-1">
      <div className="flex items-center gap-1.5">
        <span className="min-w-0 flex-1 truncate text-sm font-medium">{row.id}</span>
        {row.errors > 0 && <Badge tone="danger">{formatCount(row.errors)} errors</Badge>}
        <RelativeTime value={row.lastSeen} className="shrink-0 text-text-3" />
      </div>
      <div className="flex gap-3 text-text-2">
        <span>{formatCount(row.traces)} {row.traces === 1 ? "turn" : "turns"}</span>
        <Duration ms={row.duration * 1000} />
        <Tokens count={row.totalTokens || null} />
        <Money amount={row.totalCost || null} />
        <span className="min-w-0 flex-1 truncate text-right text-text-3">{row.users[0]}</span>
      </div>
    </div>
  );
}

export const card = { height: 60, column: { id: "card", header: "Session", cell: (row: SessionActivity) => <Card row={row} />, width: 0, grows: true } };

const columns: Column<SessionActivity>[] = [
  { id: "id", header: "Session", cell: (row) => <SessionLink row={row} />, width: 152 },
  { id: "user", header: "User", cell: (row) => <Users row={row} />, width: 112 },
  { id: "traces", header: "Turns", cell: (row) => formatCount(row.traces), width: 60, align: "end", sortable: true },
  { id: "errors", header: "Errors", cell: (row) => <span className={row.errors > 0 ? "text-danger" : "text-text-3"}>{formatCount(row.errors)}</span>, width: 60, align: "end", sortable: true },
  { id: "firstSeen", header: "First", cell: (row) => <AbsoluteTime value={row.firstSeen} className="whitespace-nowrap text-text-2" />, width: 140, sortable: true },
  { id: "lastSeen", header: "Last", cell: (row) => <AbsoluteTime value={row.lastSeen} className="whitespace-nowrap text-text-2" />, width: 140, sortable: true },
  { id: "duration", header: "Duration", cell: (row) => <Duration ms={row.duration * 1000} />, width: 80, align: "end", sortable: true },
  { id: "totalTokens", header: "Tokens", cell: (row) => <Tokens count={row.totalTokens || null} />, width: 68, align: "end", sortable: true },
  { id: "totalCost", header: "Cost", cell: (row) => <Money amount={row.totalCost || null} />, width: 76, align: "end", sortable: true },
  { id: "environment", header: "Environment", cell: (row) => <Environments row={row} />, width: 128 },
  { id: "scores", header: "Scores", cell: (row) => <Scores row={row} />, width: 180, grows: true },
];

export const known: ReadonlyMap<string, Column<SessionActivity>> = new Map(columns.map((column) => [column.id, column]));
export const shown = columns.map(({ id }) => ({ id, pinned: id === "id" }));
