import { cx } from "@/shared/lib/classes";
import { formatCount, formatDuration } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import type { GraphNode } from "@/shared/trace/graph";
import { nodeSize, type Point } from "@/shared/trace/layOut";
import { typeLook } from "@/shared/ui/TypeIcon";

interface GraphBoxProps {
  node: GraphNode;
  place: number;
  at: Point;
  chosen: boolean;
  tabIndex: number;
  onFocus: () => void;
  onChoose: () => void;
}

const longestName = 22;

/** A node: what it is, how often, how long, for how much. */
export function GraphBox({ node, place, at, chosen, tabIndex, onFocus, onChoose }: GraphBoxProps) {
  const { icon: Icon, text } = typeLook(node.type);
  const name = node.name.length > longestName ? `${node.name.slice(0, longestName - 1)}…` : node.name;
  return (
    // The drawing takes the keys for all of its nodes.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <g data-node={place} role="button" tabIndex={tabIndex} aria-pressed={chosen} transform={`translate(${at.x} ${at.y})`} className="group cursor-pointer outline-none" onFocus={onFocus} onClick={onChoose}>
      <title>{node.name}</title>
      <rect {...nodeSize} rx={8} strokeWidth={chosen ? 2 : 1} className={cx("group-focus-visible:stroke-focus group-focus-visible:stroke-3", chosen ? "fill-selected stroke-accent" : "fill-raised stroke-line-strong group-hover:fill-surface")} />
      <Icon x={10} y={10} width={14} height={14} aria-hidden className={text} />
      <text x={30} y={21} className="fill-text text-xs font-medium">{name}</text>
      <text x={10} y={41} className="fill-text-2 text-2xs">{figuresOf(node)}</text>
      {node.errors > 0 && <text x={nodeSize.width - 10} y={41} textAnchor="end" className="fill-danger text-2xs font-medium">{formatCount(node.errors)} failed</text>}
    </g>
  );
}

export function figuresOf({ calls, loops, time, cost }: GraphNode): string {
  const parts = [calls === 1 ? "once" : `${formatCount(calls)}×`, time !== null && formatDuration(time), cost !== null && formatMoney(cost), loops > 0 && `${formatCount(loops)}× itself`];
  return parts.filter((part) => part !== false).join(" · ");
}

/** From caller to called; how often stands on it where it is more than once. */
export function GraphArrow({ points, calls, marker }: { points: Point[]; calls: number; marker: string }) {
  const [before, after] = points.slice(Math.max(0, Math.ceil(points.length / 2) - 1));
  return (
    <g aria-hidden>
      <path d={pathOf(points)} fill="none" markerEnd={`url(#${marker})`} strokeWidth={Math.min(2.5, 1 + Math.log10(calls) / 2)} className="stroke-line-strong" />
      {calls > 1 && before !== undefined && after !== undefined && <text x={(before.x + after.x) / 2} y={(before.y + after.y) / 2 - 4} textAnchor="middle" className="fill-text-2 text-2xs">{formatCount(calls)}×</text>}
    </g>
  );
}

/** A line through the middles between bends, round at each of them. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const last = rest.at(-1) ?? first;
  const curves = rest.slice(0, -1).map((bend, index) => {
    const next = rest[index + 1]!;
    const [x, y] = index === rest.length - 2 ? [next.x, next.y] : [(bend.x + next.x) / 2, (bend.y + next.y) / 2];
    return `Q${bend.x} ${bend.y} ${x} ${y}`;
  });
  return `M${first.x} ${first.y}${curves.join("") || `L${last.x} ${last.y}`}`;
}
