import { ChevronDown, ChevronRight } from "lucide-react";
import { memo } from "react";
import { cx } from "@/shared/lib/classes";
import { formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { TypeIcon } from "@/shared/ui/TypeIcon";
import type { Lane } from "../lane";
import type { TraceRows } from "../rows";
import { durationText, LaneBar, startText } from "./LaneBar";

/** timeline: name beside a bar. table: name and figures. For narrow screens stacked: bar below the name; brief: two figures. */
export type RowLayout = "timeline" | "table" | "stacked" | "brief";

export interface TraceRowProps {
  id: string;
  rows: TraceRows;
  row: number;
  layout: RowLayout;
  height: number;
  top: number;
  gutter: number;
  lane: Lane;
  selected: boolean;
  folded: boolean;
  /** A find is on, and this row is none of its hits. */
  pale: boolean;
  stalled: boolean;
  /** Both grow while the trace arrives. */
  childCount: number;
  siblings: number;
}

const indent = 14;
const deepest = 12;

export const TraceRow = memo(function TraceRow(props: TraceRowProps) {
  const { id, rows, row, layout, height, top, selected, folded, childCount, siblings } = props;
  return (
    // The tree has the focus and takes the keys for all of its rows.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      role="treeitem" id={id} data-row={row}
      aria-level={rows.depth[row]} aria-setsize={siblings} aria-posinset={rows.place[row]}
      aria-expanded={childCount > 0 ? !folded : undefined} aria-selected={selected}
      className={cx("absolute inset-x-0 flex cursor-pointer overflow-hidden text-xs contain-strict", layout === "stacked" && "flex-col", selected ? "bg-selected shadow-[inset_2px_0_0_var(--accent)]" : "hover:bg-surface")}
      style={{ height, top }}
    >
      {layout === "stacked" ? <Stacked {...props} /> : <Wide {...props} />}
    </div>
  );
});

function Wide(props: TraceRowProps) {
  const { rows, row, layout, gutter, lane, stalled } = props;
  const tokens = rows.total[row]!;
  const cost = rows.costs.at(row);
  if (layout === "table") {
    return (
      <>
        <Name {...props} className="min-w-0 flex-1 pr-3" />
        <Figure wide className="text-left!">{rows.modelOf(row) ?? ""}</Figure>
        <Figure>{startText(rows, row)}</Figure>
        <Figure>{durationText(rows, row, stalled)}</Figure>
        <Figure>{tokens < 0 ? "" : formatTokens(tokens)}</Figure>
        <Figure className="pr-3">{cost === "" ? "" : formatMoney(cost)}</Figure>
      </>
    );
  }
  if (layout === "brief") {
    return (
      <>
        <Name {...props} className="min-w-0 flex-1" />
        <Figure className="w-16!">{cost === "" ? "" : formatMoney(cost)}</Figure>
        <Figure className="w-18! pr-3">{durationText(rows, row, stalled)}</Figure>
      </>
    );
  }
  return (
    <>
      <div className="flex shrink-0 items-center border-r border-line pr-2" style={{ width: gutter }}>
        <Name {...props} className="min-w-0 flex-1" />
        {tokens > 0 && <span className="pl-2 text-right text-2xs text-text-3">{formatTokens(tokens)}</span>}
        {cost !== "" && <span className="min-w-15 shrink-0 pl-2 text-right text-2xs text-text-3">{formatMoney(cost)}</span>}
      </div>
      <div className="relative min-w-0 flex-1 overflow-hidden"><LaneBar rows={rows} row={row} lane={lane} stalled={stalled} /></div>
    </>
  );
}

function Stacked(props: TraceRowProps) {
  const { rows, row, lane, stalled } = props;
  return (
    <>
      <div className="flex h-7 w-full items-center pr-3">
        <Name {...props} className="min-w-0 flex-1" />
        <span className="pl-2 text-2xs text-text-2">{durationText(rows, row, stalled)}</span>
      </div>
      <div className="relative mx-3 h-3 overflow-hidden"><LaneBar rows={rows} row={row} lane={lane} stalled={stalled} thin /></div>
    </>
  );
}

function Name({ rows, row, folded, pale, childCount, layout, className }: TraceRowProps & { className: string }) {
  const depth = rows.depth[row]! - 1;
  const step = layout === "stacked" ? 8 : indent;
  const Caret = folded ? ChevronRight : ChevronDown;
  return (
    <div className={cx("flex h-full items-center", className)}>
      <span className={cx("h-full shrink-0", layout !== "stacked" && "guides")} style={{ width: Math.min(depth, deepest) * step }} />
      {depth > deepest && <span className="min-w-5 shrink-0 pl-1 text-right text-2xs text-text-3">{depth + 1}</span>}
      <span className="flex h-full w-6 shrink-0 items-center justify-center text-text-3 hover:text-text" data-caret={childCount > 0 || undefined}>
        {childCount > 0 && <Caret size={14} aria-hidden />}
      </span>
      <TypeIcon type={rows.typeOf(row)} />
      <span className={cx("ml-1.5 truncate", pale && "text-text-3", rows.isSynthetic(row) && "italic")}>{rows.nameOf(row)}</span>
      <span className="ml-1.5 empty:ml-0"><LevelIcon level={rows.head.levels[rows.level[row]!] ?? ""} /></span>
    </div>
  );
}

function Figure({ children, wide = false, className }: { children: string; wide?: boolean; className?: string }) {
  return <span className={cx("shrink-0 self-center truncate pl-2 text-right text-text-2", wide ? "w-36 max-lg:hidden" : "w-22", className)}>{children}</span>;
}
