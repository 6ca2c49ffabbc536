import { Link } from "@tanstack/react-router";
import { SquareArrowOutUpRight } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { Badge } from "@/shared/ui/Badge";
import type { ItemRun } from "./api";
import { FigureChip } from "./FigureChip";
import { figureKey, scoresFirst, type Side } from "./model";
import { RunText } from "./RunText";
import type { Against } from "./useResults";

export interface RunCellProps {
  run: ItemRun | undefined;
  baseline: ItemRun | undefined;
  against: Against;
  itemId: string;
  side: Side;
}

/** One run of one item: scores with their change, then what it put out. */
export function RunCell({ run, baseline, against, itemId, side }: RunCellProps) {
  if (run === undefined) return <span className="text-text-3">Not run</span>;
  return (
    <div className="flex h-full flex-col gap-1.5">
      <div className="flex items-start gap-1">
        <RunFigures run={run} />
        <TraceLink run={run} label={`Trace of ${itemId} in ${side.letter}`} />
      </div>
      <p className="line-clamp-6 min-h-0 break-words whitespace-pre-wrap"><RunText run={run} baseline={baseline} against={against} /></p>
    </div>
  );
}

export function RunFigures({ run, inLine = false }: { run: ItemRun; inLine?: boolean }) {
  return (
    <span className={cx("flex min-w-0 flex-1 gap-1", inLine ? "overflow-hidden *:shrink-0" : "flex-wrap")}>
      {run.level === "ERROR" && <Badge tone="danger">Error</Badge>}
      {scoresFirst(run.figures).map((figure) => <FigureChip key={figureKey(figure)} figure={figure} />)}
    </span>
  );
}

export const iconLink = "flex size-6 shrink-0 items-center justify-center rounded-sm text-text-3 hover:bg-surface hover:text-text pointer-coarse:size-11";

export function TraceLink({ run, label }: { run: ItemRun; label: string }) {
  const { id: projectId } = useProject();
  return (
    <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: run.traceId }} search={{ observation: run.observationId } as never} title="Open the trace" aria-label={label} className={iconLink}>
      <SquareArrowOutUpRight size={14} aria-hidden />
    </Link>
  );
}
