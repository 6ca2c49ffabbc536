import { ChevronLeft, ChevronRight } from "lucide-react";
import { cx } from "@/shared/lib/classes";
import { formatDuration } from "@/shared/lib/format";
import { typeLook } from "@/shared/ui/TypeIcon";
import { barOf, type Lane, labelWidth } from "../lane";
import type { TraceRows } from "../rows";
import "./trace.css";

/** How long a row took, in words. */
export function durationText(rows: TraceRows, row: number, stalled: boolean): string {
  if (rows.isUnfinished(row)) return stalled ? "no end" : "running";
  return rows.isEvent(row) ? "" : formatDuration(rows.duration[row]);
}

/** When a row starts, after the start of the trace. */
export function startText(rows: TraceRows, row: number): string {
  return rows.start[row] === 0 ? "0" : `+${formatDuration(rows.start[row])}`;
}

interface LaneBarProps {
  rows: TraceRows;
  row: number;
  lane: Lane;
  stalled: boolean;
  /** Below the name instead of beside it: the bar is thin, its label stands with the name. */
  thin?: boolean;
}

export function LaneBar({ rows, row, lane, stalled, thin = false }: LaneBarProps) {
  const text = thin ? "" : durationText(rows, row, stalled);
  const bar = barOf(rows, row, lane, labelWidth(text));
  if (bar.label === "before" || bar.label === "after") return <OutOfSight side={bar.label} text={text} />;
  const look = typeLook(rows.typeOf(row));
  const failed = rows.isError(row) && "ring-[1.5px] ring-danger ring-offset-1 ring-offset-bg";
  const middle = thin ? "top-0.5 h-1.5" : "top-1/2 h-3 -translate-y-1/2";
  if (rows.isEvent(row)) {
    return <span className={cx("absolute size-2 -translate-x-1/2 rotate-45", thin ? "top-0.5" : "top-1/2 -translate-y-1/2", look.bar, failed)} style={{ left: bar.left }} />;
  }
  return (
    <>
      <span className={cx("absolute rounded-xs", middle, rows.isUnfinished(row) ? ["hatch", look.text].join(" ") : look.bar, failed)} style={{ left: bar.left, width: bar.width }}>
        {bar.firstToken !== null && <span className="absolute inset-y-0 w-0.5 bg-bg" style={{ left: bar.firstToken }} />}
      </span>
      {text !== "" && <Label side={bar.label} bar={bar} width={lane.width} text={text} />}
    </>
  );
}

function Label({ side, bar, width, text }: { side: "left" | "right" | "inside"; bar: { left: number; width: number }; width: number; text: string }) {
  const place = side === "right" ? { left: bar.left + bar.width + 6 } : side === "left" ? { right: width - bar.left + 6 } : { left: Math.max(bar.left, 0) + 6 };
  return <span className={cx("absolute top-1/2 -translate-y-1/2 text-2xs whitespace-nowrap text-text-2", side === "inside" && "rounded-xs bg-bg px-1 leading-3")} style={place}>{text}</span>;
}

/** The row runs before or after what the axis shows. */
function OutOfSight({ side, text }: { side: "before" | "after"; text: string }) {
  const Icon = side === "before" ? ChevronLeft : ChevronRight;
  return (
    <span className={cx("absolute inset-y-0 flex items-center text-2xs text-text-3", side === "before" ? "left-0.5" : "right-0.5 flex-row-reverse")}>
      <Icon size={12} aria-hidden />
      {text}
    </span>
  );
}
