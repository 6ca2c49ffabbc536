import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useShortcuts } from "@/shared/lib/shortcuts";
import type { Graph } from "@/shared/trace/graph";
import type { Laid, Point } from "@/shared/trace/layOut";
import { IconButton } from "@/shared/ui/IconButton";
import { GraphArrow, GraphBox } from "./GraphParts";
import { neighbour } from "./neighbour";
import { usePanZoom } from "./usePanZoom";

interface GraphCanvasProps {
  graph: Graph;
  laid: Laid;
  /** The place of the node that the chosen row is in, or -1. */
  chosen: number;
  onChoose: (place: number) => void;
}

const closer = 1.3;

/** The drawing. It is moved by dragging and scrolling, and zoomed by Ctrl with the wheel, by keys and by buttons; arrow keys walk from node
 * to node. */
export function GraphCanvas({ graph, laid, chosen, onChoose }: GraphCanvasProps) {
  const svg = useRef<SVGSVGElement>(null);
  const { view, zoom, fit, show, handlers } = usePanZoom(svg, laid);
  const [focused, setFocused] = useState(Math.max(0, chosen));
  const at = Math.min(focused, graph.nodes.length - 1);
  const arrow = useId();
  useShortcuts("Graph", [
    { keys: "+", label: "Zoom in", run: () => zoom(closer) },
    { keys: "-", label: "Zoom out", run: () => zoom(1 / closer) },
    { keys: "0", label: "Whole graph", run: fit },
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbour(laid.nodes, at, event.key);
    if (event.key === "Enter" || event.key === " ") onChoose(at);
    else if (next === undefined) return;
    else {
      setFocused(next);
      show(laid.nodes[next]!);
      svg.current?.querySelector<SVGGElement>(`[data-node="${next}"]`)?.focus({ preventScroll: true });
    }
    event.preventDefault();
  };
  return (
    <div className="relative min-h-0 flex-1">
      {/* It takes the keys and the pointer for all of its nodes. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <svg
        ref={svg} role="group" aria-label={`Graph of ${graph.nodes.length} nodes and ${graph.edges.length} connections. The table has the same figures.`}
        className="size-full cursor-grab touch-none select-none active:cursor-grabbing" onKeyDown={onKeyDown} {...handlers}
      >
        <defs>
          <marker id={arrow} viewBox="0 0 8 8" refX={7} refY={4} markerUnits="userSpaceOnUse" markerWidth={8} markerHeight={8} orient="auto"><path d="M0 0L8 4L0 8z" className="fill-line-strong" /></marker>
        </defs>
        <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
          {graph.edges.map((edge, index) => <GraphArrow key={`${edge.from} ${edge.to}`} points={laid.edges[index] ?? []} calls={edge.calls} marker={arrow} />)}
          {graph.nodes.map((node, place) => (
            <GraphBox key={node.row} node={node} place={place} at={laid.nodes[place] ?? origin} chosen={place === chosen} tabIndex={place === at ? 0 : -1} onFocus={() => setFocused(place)} onChoose={() => onChoose(place)} />
          ))}
        </g>
      </svg>
      <div className="absolute right-2 bottom-2 flex rounded-md border border-line bg-raised">
        <IconButton icon={ZoomIn} label="Zoom in" keys="+" onClick={() => zoom(closer)} />
        <IconButton icon={ZoomOut} label="Zoom out" keys="-" onClick={() => zoom(1 / closer)} />
        <IconButton icon={Maximize} label="Whole graph" keys="0" onClick={fit} />
      </div>
    </div>
  );
}

const origin: Point = { x: 0, y: 0 };
