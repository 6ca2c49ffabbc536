import { Texts } from "./texts";

/** Line "trace" of a skeleton: facts and counts of the whole trace. */
export interface TraceHead {
  id: string;
  name: string | null;
  userId: string | null;
  sessionId: string | null;
  release: string | null;
  version: string | null;
  environment: string;
  tags: string[];
  public: boolean;
  bookmarked: boolean;
  startTime: string;
  endTime: string;
  rows: number;
  observations: number;
  roots: number;
  syntheticRoot: number | null;
  detached: number;
  depth: number;
  errors: number;
  warnings: number;
  unfinished: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  totalCost: string | null;
  types: string[];
  levels: string[];
}

/** Line "rows" of a skeleton. */
export interface RowBlock {
  from: number;
  count: number;
  names?: string[];
  models?: string[];
  id: string[];
  parent: number[];
  name: number[];
  type: number[];
  level: number[];
  start: number[];
  duration: number[];
  firstToken: number[];
  model: number[];
  input: number[];
  output: number[];
  total: number[];
  cost: string[];
  flags: number[];
}

export const flagStatusMessage = 1;
export const flagSyntheticRoot = 4;

const open = 0x7fffffff; // more rows may still come below

/** A trace as columns, in pre-order: what is below a row stands right behind it. Grows block by block while the answer
 * arrives; what is there never changes. A million rows take some 100 MB outside of the collector's reach. */
export class TraceRows {
  length = 0;
  readonly names: string[] = [];
  readonly models: string[] = [];
  readonly ids: Texts;
  readonly costs: Texts;
  readonly parent: Int32Array;
  /** 1 for a row without a parent. */
  readonly depth: Int32Array;
  readonly children: Int32Array;
  /** Place among its siblings, from 1. */
  readonly place: Int32Array;
  readonly name: Int32Array;
  readonly model: Int32Array;
  readonly type: Uint8Array;
  readonly level: Uint8Array;
  readonly flags: Uint8Array;
  /** Milliseconds from the start of the trace. */
  readonly start: Float64Array;
  /** Milliseconds; -1 without an end. */
  readonly duration: Float64Array;
  readonly firstToken: Float64Array;
  readonly total: Float64Array;
  roots = 0;
  /** Milliseconds from the first start to the last end; at least 1, so that it can be divided by. */
  readonly extent: number;
  readonly errorLevel: number;
  readonly warningLevel: number;
  readonly eventType: number;
  private readonly lastBelow: Int32Array;
  private readonly path: number[] = [];

  constructor(readonly head: TraceHead) {
    const n = head.rows;
    this.ids = new Texts(n, 16);
    this.costs = new Texts(n, 4);
    this.parent = new Int32Array(n);
    this.depth = new Int32Array(n);
    this.children = new Int32Array(n);
    this.place = new Int32Array(n);
    this.name = new Int32Array(n);
    this.model = new Int32Array(n);
    this.type = new Uint8Array(n);
    this.level = new Uint8Array(n);
    this.flags = new Uint8Array(n);
    this.start = new Float64Array(n);
    this.duration = new Float64Array(n);
    this.firstToken = new Float64Array(n);
    this.total = new Float64Array(n);
    this.lastBelow = new Int32Array(n);
    this.extent = Math.max(1, Date.parse(head.endTime) - Date.parse(head.startTime) || 1);
    this.errorLevel = head.levels.indexOf("ERROR");
    this.warningLevel = head.levels.indexOf("WARNING");
    this.eventType = head.types.indexOf("EVENT");
  }

  append(block: RowBlock): void {
    const { from, count } = block;
    if (from !== this.length || from + count > this.head.rows) throw new Error("the rows of the trace came out of order");
    if (block.names !== undefined) this.names.push(...block.names);
    if (block.models !== undefined) this.models.push(...block.models);
    for (const [column, values] of this.numbers(block)) {
      if (values.length !== count) throw new Error("a column of the trace is incomplete");
      column.set(values, from);
    }
    for (const id of block.id) this.ids.push(id);
    for (const cost of block.cost) this.costs.push(cost);
    for (let row = from; row < from + count; row++) this.link(row);
    this.length += count;
  }

  /** The last of the rows below this one that are here, or the row itself. */
  last(row: number): number {
    return Math.min(this.lastBelow[row]!, this.length - 1);
  }

  /** The row with an id among the first ones, or -1. */
  find(id: string, among = this.length): number {
    const row = id === "" ? -1 : this.ids.find(id);
    return row < among ? row : -1;
  }

  nameOf(row: number): string {
    if (this.isSynthetic(row)) return "Rows whose parent is missing";
    return this.names[this.name[row]!] || "(no name)";
  }

  typeOf(row: number): string {
    return this.head.types[this.type[row]!] ?? "SPAN";
  }

  modelOf(row: number): string | null {
    return this.models[this.model[row]!] ?? null;
  }

  isError(row: number): boolean {
    return this.level[row] === this.errorLevel;
  }

  isEvent(row: number): boolean {
    return this.type[row] === this.eventType;
  }

  isUnfinished(row: number): boolean {
    return this.duration[row]! < 0 && !this.isEvent(row);
  }

  isSynthetic(row: number): boolean {
    return (this.flags[row]! & flagSyntheticRoot) !== 0;
  }

  /** Where its bar ends: an unfinished row lasts as long as the trace is known to. */
  endOf(row: number): number {
    if (this.duration[row]! >= 0) return this.start[row]! + this.duration[row]!;
    return this.isEvent(row) ? this.start[row]! : Math.max(this.extent, this.start[row]!);
  }

  siblings(row: number): number {
    const parent = this.parent[row]!;
    return parent < 0 ? this.roots : this.children[parent]!;
  }

  private numbers(block: RowBlock): [Int32Array | Uint8Array | Float64Array, number[]][] {
    return [
      [this.parent, block.parent], [this.name, block.name], [this.model, block.model], [this.type, block.type],
      [this.level, block.level], [this.flags, block.flags], [this.start, block.start], [this.duration, block.duration],
      [this.firstToken, block.firstToken], [this.total, block.total],
    ];
  }

  /** A row ends the subtrees of all that are as deep as itself, so each row is opened and closed once. */
  private link(row: number): void {
    const parent = this.parent[row]!;
    if (parent >= row) throw new Error("a row of the trace stands before its parent");
    const depth = parent < 0 ? 1 : this.depth[parent]! + 1;
    this.depth[row] = depth;
    this.place[row] = parent < 0 ? ++this.roots : ++this.children[parent]!;
    while (this.path.length >= depth) this.lastBelow[this.path.pop()!] = row - 1;
    this.path.push(row);
    this.lastBelow[row] = open;
  }
}
