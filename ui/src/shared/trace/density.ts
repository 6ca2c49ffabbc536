import type { TraceRows } from "./rows";

/** How many rows of each type run in each column of the overview, and which columns hold an error. Rows are added as they
 * arrive: each counts in two cells only (where it starts, behind its end), sums are made when it is drawn. */
export class Density {
  private readonly changes: Int32Array;
  private readonly failed: Uint8Array;
  private added = 0;

  constructor(
    private readonly rows: TraceRows,
    readonly columns: number,
  ) {
    this.changes = new Int32Array(rows.head.types.length * (columns + 1));
    this.failed = new Uint8Array(columns);
  }

  /** Takes in what came since the last call. */
  update(): void {
    const { rows, columns } = this;
    const scale = columns / rows.extent;
    for (; this.added < rows.length; this.added++) {
      const row = this.added;
      if (rows.isSynthetic(row)) continue;
      const first = Math.min(columns - 1, Math.floor(rows.start[row]! * scale));
      const end = Math.min(columns, Math.max(first + 1, Math.ceil(rows.endOf(row) * scale)));
      const cell = rows.type[row]! * (columns + 1);
      this.changes[cell + first]!++;
      this.changes[cell + end]!--;
      if (rows.isError(row)) this.failed[first] = 1;
    }
  }

  hasError(column: number): boolean {
    return this.failed[column] === 1;
  }

  /** Rows that run in each column, for each type: counts[type * columns + column]. */
  counts(): Int32Array {
    const types = this.rows.head.types.length;
    const counts = new Int32Array(types * this.columns);
    for (let type = 0; type < types; type++) {
      let running = 0;
      for (let column = 0; column < this.columns; column++) {
        running += this.changes[type * (this.columns + 1) + column]!;
        counts[type * this.columns + column] = running;
      }
    }
    return counts;
  }
}
