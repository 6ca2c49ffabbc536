import { addMoney } from "@/shared/lib/money";
import type { TraceRows } from "./rows";

/** Rows that are drawn as one: all of a name and type, or a single one. */
export interface GraphNode {
  name: string;
  type: string;
  calls: number;
  /** Milliseconds of all of them together, what is below included; null without an end. */
  time: number | null;
  /** Dollars; null where none of them has a cost. */
  cost: string | null;
  errors: number;
  /** How often one of them stands right below another of them. */
  loops: number;
  /** The first of its rows. */
  row: number;
}

/** From what calls to what is called, by their places among the nodes. */
export interface GraphEdge {
  from: number;
  to: number;
  calls: number;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** With more nodes a drawing is a hairball, and laying it out takes minutes. */
export const mostNodes = 300;

/** Which rows are one node: each its own, those of a name, those whose names differ in numbers only ("step 1", "step 2"), or those of
 * a type. */
export type Grouping = "call" | "name" | "pattern" | "type";

/** What the node of a row is called. */
export function labelOf(rows: TraceRows, row: number, by: Grouping): string {
  if (by === "type") return `any ${rows.typeOf(row).toLowerCase()}`;
  return by === "pattern" ? rows.nameOf(row).replace(/\d+/g, "#") : rows.nameOf(row);
}

/** The finest grouping by name that can be drawn. */
export function drawable(rows: TraceRows, shown: Int32Array): Grouping {
  return (["name", "pattern"] as const).find((by) => {
    const found = new Set<string>();
    return shown.every((row) => found.add(`${rows.type[row]} ${labelOf(rows, row, by)}`).size <= mostNodes);
  }) ?? "type";
}

/** What calls what in these rows. A row whose parent is not among them hangs on the nearest one above that is. */
export function graphOf(rows: TraceRows, shown: Int32Array, by: Grouping): Graph {
  const nodes: GraphNode[] = [];
  const costs: string[][] = [];
  const places = new Map<string, number>();
  const nodeOf = new Map<number, number>();
  const edges = new Map<string, GraphEdge>();
  for (const row of shown) {
    if (rows.isSynthetic(row)) continue;
    const name = labelOf(rows, row, by);
    const key = by === "call" ? String(row) : `${rows.type[row]} ${name}`;
    let place = places.get(key);
    if (place === undefined) {
      place = nodes.push({ name, type: rows.typeOf(row), calls: 0, time: null, cost: null, errors: 0, loops: 0, row }) - 1;
      costs.push([]);
      places.set(key, place);
    }
    nodeOf.set(row, place);
    count(nodes[place]!, rows, row);
    if (!rows.costs.isEmpty(row)) costs[place]!.push(rows.costs.at(row));
    const from = placeAbove(rows, row, nodeOf);
    if (from === place) nodes[place]!.loops++;
    else if (from !== undefined) join(edges, from, place);
  }
  nodes.forEach((node, place) => (node.cost = costs[place]!.length === 0 ? null : addMoney(costs[place]!)));
  return { nodes, edges: [...edges.values()] };
}

function count(node: GraphNode, rows: TraceRows, row: number): void {
  node.calls++;
  if (rows.isError(row)) node.errors++;
  if (rows.duration[row]! >= 0) node.time = (node.time ?? 0) + rows.duration[row]!;
}

function placeAbove(rows: TraceRows, row: number, nodeOf: ReadonlyMap<number, number>): number | undefined {
  for (let parent = rows.parent[row]!; parent >= 0; parent = rows.parent[parent]!) {
    const place = nodeOf.get(parent);
    if (place !== undefined) return place;
  }
  return undefined;
}

function join(edges: Map<string, GraphEdge>, from: number, to: number): void {
  const key = `${from} ${to}`;
  const edge = edges.get(key);
  if (edge === undefined) edges.set(key, { from, to, calls: 1 });
  else edge.calls++;
}
