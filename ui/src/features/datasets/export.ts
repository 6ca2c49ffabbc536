import type { Project } from "@/shared/api/project";
import { csvLine } from "@/shared/csv/csv";
import { fields, type Item, walkItems } from "./api";

export type ExportFormat = "csv" | "jsonl";

const columns = ["id", ...fields, "sourceTraceId", "sourceObservationId"] as const;

/** A spreadsheet would take such an id for a formula. JSON texts cannot begin so, negative numbers aside, which are none. */
const safe = (id: string) => (/^[=+\-@\t\r]/.test(id) ? `'${id}` : id);

/** JSON texts stand in the file as they are, so that an import reads back what was exported. */
export function exportLine(item: Item, format: ExportFormat): string {
  if (format === "csv") return csvLine([safe(item.id), ...fields.map((field) => item[field]), safe(item.sourceTraceId ?? ""), safe(item.sourceObservationId ?? "")]);
  const members = [`"id":${JSON.stringify(item.id)}`, ...fields.flatMap((field) => (item[field] === "" ? [] : [`"${field}":${item[field]}`]))];
  for (const source of ["sourceTraceId", "sourceObservationId"] as const) if (item[source] !== null) members.push(`"${source}":${JSON.stringify(item[source])}`);
  return `{${members.join(",")}}\n`;
}

/** Reads the active items of one moment into a file. Every page becomes a blob at once: browsers keep large ones on the disk. */
export async function exportItems(project: Project, datasetName: string, version: string, format: ExportFormat, progress: (done: number, total: number) => void, signal: AbortSignal): Promise<Blob> {
  const parts: Blob[] = format === "csv" ? [new Blob([csvLine(columns)])] : [];
  let done = 0;
  for await (const { items, total } of walkItems(project, datasetName, version, signal)) {
    parts.push(new Blob(items.map((item) => exportLine(item, format))));
    done += items.length;
    progress(done, total);
  }
  return new Blob(parts, { type: format === "csv" ? "text/csv" : "application/x-ndjson" });
}
