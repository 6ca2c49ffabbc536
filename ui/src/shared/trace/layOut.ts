import { Graph as Dagre, layout } from "@dagrejs/dagre";
import type { GraphEdge } from "./graph";

export interface Point {
  x: number;
  y: number;
}

export interface Laid {
  width: number;
  height: number;
  /** The upper left corner of each node. */
  nodes: Point[];
  /** The bends of each edge, its ends included. */
  edges: Point[][];
}

export const nodeSize = { width: 184, height: 52 };

const margin = 16;
const widest = 3; // times its height

/** Gives every node a place, callers above what they call; to their left where that would be far too wide. Takes seconds for
 * thousands, so pages ask a worker for it. */
export function layOut(count: number, edges: readonly GraphEdge[]): Laid {
  const down = flow(count, edges, "TB");
  return down.width > widest * down.height ? flow(count, edges, "LR") : down;
}

function flow(count: number, edges: readonly GraphEdge[], rankdir: "TB" | "LR"): Laid {
  const graph = new Dagre();
  graph.setGraph({ rankdir, nodesep: 24, ranksep: 56, marginx: margin, marginy: margin });
  graph.setDefaultEdgeLabel(() => ({}));
  for (let place = 0; place < count; place++) graph.setNode(String(place), { ...nodeSize });
  for (const { from, to, calls } of edges) graph.setEdge(String(from), String(to), { weight: Math.min(calls, 10) });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.max(0, width),
    height: Math.max(0, height),
    nodes: Array.from({ length: count }, (_, place) => {
      const { x, y } = graph.node(String(place)) as Point;
      return { x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 };
    }),
    edges: edges.map(({ from, to }) => (graph.edge(String(from), String(to)) as { points: Point[] }).points.map(({ x, y }) => ({ x, y }))),
  };
}
