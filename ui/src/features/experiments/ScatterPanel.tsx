import { useQuery } from "@tanstack/react-query";
import { ChartScatter, Table2 } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import type { Column } from "@/shared/table/columns";
import { DataTable } from "@/shared/table/DataTable";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { Legend } from "@/shared/ui/Legend";
import { Select } from "@/shared/ui/Select";
import { Skeleton } from "@/shared/ui/Skeleton";
import { loadPlotted, plottedItems } from "./api";
import { type Figure, figureKey, figureText, figureTitle, type Point, pointsOf, scatterSummary, type Side } from "./model";
import { Scatter } from "./Scatter";
import type { Results } from "./useResults";

/** Items as points of two figures: a score against cost, or the baseline against the others. */
export function ScatterPanel({ figures, results }: { figures: readonly Figure[]; results: Results }) {
  const project = useProject();
  const id = useId();
  const { asked, sides } = results;
  const [xKey, setX] = useUrlState("x", figureKey(figures.find(({ kind }) => kind === "latency") ?? figures[0]!));
  const [yKey, setY] = useUrlState("y", figureKey(figures.find(({ kind, dataType }) => kind === "score" && dataType === "NUMERIC") ?? figures[0]!));
  const [asTable, setAsTable] = useState(false);
  const found = useQuery({ queryKey: ["plotted items", project.id, asked], queryFn: ({ signal }) => loadPlotted(project, asked, signal) });
  const [x, y] = [xKey, yKey].map((key) => figures.find((figure) => figureKey(figure) === key) ?? figures[0]!) as [Figure, Figure];
  const points = useMemo(() => pointsOf(found.data?.list ?? [], sides, figureKey(x), figureKey(y)), [found.data, sides, x, y]);
  const options = figures.map((figure) => ({ value: figureKey(figure), label: figureTitle(figure) }));
  const total = found.data?.total ?? 0;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 border-b border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <h2 id={id} className="text-sm font-medium">Items by two figures</h2>
        <Select label="Up" labelHidden value={figureKey(y)} onChange={setY} options={options} className="w-36" />
        <span aria-hidden className="text-xs text-text-3">over</span>
        <Select label="Across" labelHidden value={figureKey(x)} onChange={setX} options={options} className="w-36" />
        <IconButton icon={asTable ? ChartScatter : Table2} label={asTable ? "View items as points" : "View items as table"} onClick={() => setAsTable(!asTable)} />
      </div>
      {found.isError && <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton className="h-48" />}
      {found.data !== undefined && (
        <>
          <p className="text-xs text-text-2">{scatterSummary(points, sides, x, y)}{total > plottedItems && ` Of ${formatCount(total)} items these are the first ${formatCount(plottedItems)}.`}</p>
          {points.length > 0 && (asTable ? <PointTable points={points} sides={sides} x={x} y={y} onOpen={results.setItem} /> : (
            <>
              <div className="max-w-3xl"><Scatter points={points} sides={sides} x={x} y={y} onOpen={results.setItem} /></div>
              <Legend entries={sides.filter((_, index) => points.some(({ side }) => side === index)).map((side) => ({ label: `${side.letter} ${side.name}`, color: side.color }))} />
            </>
          ))}
        </>
      )}
    </section>
  );
}

function PointTable({ points, sides, x, y, onOpen }: { points: Point[]; sides: readonly Side[]; x: Figure; y: Figure; onOpen: (itemId: string) => void }) {
  const columns: Column<Point>[] = [
    { id: "item", header: "Item", cell: ({ itemId }) => itemId, width: 220, grows: true },
    { id: "run", header: "Run", cell: ({ side }) => sides[side]?.letter, width: 60 },
    { id: "across", header: figureTitle(x), cell: (point) => figureText(x, point.x), width: 110, align: "end" },
    { id: "up", header: figureTitle(y), cell: (point) => figureText(y, point.y), width: 110, align: "end" },
  ];
  return (
    <div className="flex h-72 flex-col">
      <DataTable
        label="Points" known={new Map(columns.map((column) => [column.id, column]))} shown={columns.map(({ id }) => ({ id, pinned: false }))} rows={{ first: 0, list: points, more: false }}
        keyOf={(point) => `${point.side} ${point.itemId}`} nameOf={(point) => `${point.itemId}, ${sides[point.side]?.letter}`} onOpen={(point) => onOpen(point.itemId)} onPeek={(point) => onOpen(point.itemId)}
      />
    </div>
  );
}
