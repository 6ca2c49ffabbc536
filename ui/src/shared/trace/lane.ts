import type { TimeWindow } from "./axis";
import type { TraceRows } from "./rows";

/** What rows draw their bars on: a stretch of time, and the pixels it has. */
export interface Lane {
  window: TimeWindow;
  width: number;
}

/** Where a bar and its label go, in pixels. */
export interface Bar {
  left: number;
  width: number;
  /** The label stands beside the bar where there is room, else on it; of a bar out of sight at the edge it is behind. */
  label: "right" | "left" | "inside" | "before" | "after";
  /** Of the first token, from the left of the bar; null when it is not known or not in sight. */
  firstToken: number | null;
}

const thinnest = 2;
const gap = 6;
const overhang = 8; // a bar that goes on out of sight ends that far behind the edge

export function barOf(rows: TraceRows, row: number, { window, width }: Lane, labelRoom: number): Bar {
  const scale = width / (window.to - window.from);
  const x = (at: number) => (at - window.from) * scale;
  const [start, end] = [x(rows.start[row]!), x(rows.endOf(row))];
  if (end < 0) return { left: 0, width: 0, label: "before", firstToken: null };
  if (start > width) return { left: width, width: 0, label: "after", firstToken: null };
  const left = Math.max(start, -overhang);
  const right = Math.max(Math.min(end, width + overhang), left + thinnest);
  const token = rows.firstToken[row]! < 0 ? null : x(rows.start[row]! + rows.firstToken[row]!);
  return {
    left,
    width: right - left,
    label: sideOf(left, right, width, labelRoom + gap),
    firstToken: token === null || token < 0 || token > width ? null : token - left,
  };
}

function sideOf(left: number, right: number, width: number, room: number): Bar["label"] {
  if (right + room <= width) return "right";
  return left - room >= 0 ? "left" : "inside";
}

/** The width of a label in small type; figures are all as wide as each other. */
export function labelWidth(text: string): number {
  return text.length * 6.4;
}
