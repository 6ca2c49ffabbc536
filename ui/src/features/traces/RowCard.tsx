import { Duration } from "@/shared/ui/Figures";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { TypeIcon } from "@/shared/ui/TypeIcon";
import type { Observation } from "./api";
import { PreviewLine, Sum } from "./columns";

/** A row where there is no room for columns. */
function RowCard({ row }: { row: Observation }) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-0.5 px-1">
      <div className="flex items-center gap-1.5">
        <TypeIcon type={row.type} />
        <span className="min-w-0 flex-1 truncate text-sm font-medium">{row.name || row.traceName || "(no name)"}</span>
        <LevelIcon level={row.level ?? "DEFAULT"} />
        <RelativeTime value={row.startTime} className="shrink-0 text-text-3" />
      </div>
      <div className="flex min-w-0"><PreviewLine row={row} /></div>
      <div className="flex gap-3 text-text-2">
        <Duration ms={typeof row.latency === "number" ? row.latency * 1000 : null} />
        <Sum row={row} part="totalTokens" own={row.totalUsage} />
        <Sum row={row} part="totalCost" own={row.totalCost} />
        <span className="min-w-0 flex-1 truncate text-right text-text-3">{row.userId ?? row.environment}</span>
      </div>
    </div>
  );
}

export const rowCard = { height: 76, column: { id: "card", header: "Row", cell: (row: Observation) => <RowCard row={row} />, width: 0, grows: true } };
