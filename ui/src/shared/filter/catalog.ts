import golden from "./testdata/catalog.json";

export type Kind = "text" | "list" | "number" | "time" | "bool" | "payload" | "metadata";

/** A column that can be filtered on. The server's catalog is the truth; a test there compares. */
export interface Field {
  column: string;
  kind: Kind;
  nullable?: boolean;
  values?: string[];
  aliases?: string[];
  operators: Record<string, string[]>;
}

export type Catalog = readonly Field[];

export const observationColumns = golden as unknown as Catalog;

/** Short names that people type; they stand for a column of the API. */
const shortNames: Record<string, string> = {
  env: "environment",
  user: "userId",
  session: "sessionId",
  trace: "traceId",
  parent: "parentObservationId",
  cost: "totalCost",
  prompt: "promptName",
  tag: "tags",
  root: "isRootObservation",
  ttft: "timeToFirstToken",
  tool: "calledToolNames",
  status: "statusMessage",
};

/** The column with this name, alias or short name, in any letter case. */
export function findField(catalog: Catalog, name: string): Field | undefined {
  const wanted = (Object.hasOwn(shortNames, name.toLowerCase()) ? shortNames[name.toLowerCase()]! : name).toLowerCase();
  return (
    catalog.find((field) => field.column.toLowerCase() === wanted) ??
    catalog.find((field) => field.aliases?.some((alias) => alias.toLowerCase() === wanted))
  );
}

/** Columns that look like the given name, for "did you mean". */
export function similarColumns(catalog: Catalog, name: string): string[] {
  const wanted = name.toLowerCase();
  const near = catalog
    .map(({ column }) => ({ column, distance: distance(column.toLowerCase(), wanted) }))
    .filter(({ column, distance: d }) => d <= (wanted.length > 4 ? 2 : 1) || (wanted.length > 2 && column.toLowerCase().includes(wanted)));
  return near.toSorted((a, b) => a.distance - b.distance).slice(0, 2).map(({ column }) => column);
}

/** How many letters have to change to make one word of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** How a condition on the column may look. */
export function exampleOf(field: Field): string {
  switch (field.kind) {
    case "number":
      return `${field.column}:>2`;
    case "time":
      return `${field.column}:>2026-05-01T10:00Z`;
    case "bool":
      return `${field.column}:true`;
    case "payload":
      return `${field.column}:"refund"`;
    case "metadata":
      return `${field.column}.region:eu`;
    case "list":
      return `${field.column}:(a AND b)`;
    default:
      return `${field.column}:${field.values?.[0] ?? "value"}`;
  }
}
