import { Link } from "@tanstack/react-router";
import { ClipboardList, Database, Download, GitCompareArrows, Trash2, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import { Button, buttonClass } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import type { Chosen } from "./bulk";
import type { TableName } from "./listState";

const ExportDialog = lazy(async () => ({ default: (await import("./ExportDialog")).ExportDialog }));
const DatasetDialog = lazy(async () => ({ default: (await import("./DatasetDialog")).DatasetDialog }));
const QueueDialog = lazy(async () => ({ default: (await import("./QueueDialog")).QueueDialog }));
const DeleteDialog = lazy(async () => ({ default: (await import("./DeleteDialog")).DeleteDialog }));

export interface BulkBarProps {
  table: TableName;
  chosen: Chosen;
  /** How many are chosen; undefined: all that match, and nobody counted them. */
  count: number | undefined;
  fields: string;
  /** Chooses all that match; undefined when they are. */
  onAll: (() => void) | undefined;
  total: number | undefined;
  onClear: () => void;
  onDeleted: () => void;
}

/** What can be done to the chosen rows. */
export function BulkBar({ table, chosen, count, fields, onAll, total, onClear, onDeleted }: BulkBarProps) {
  const { role, id: projectId } = useProject();
  const compared = twoTraces(chosen);
  const [dialog, setDialog] = useState<"export" | "dataset" | "queue" | "delete" | null>(null);
  const words = count === undefined ? "all matching rows" : formatNumberOf(count, "row");
  const target = { chosen, count, words, onClose: () => setDialog(null) };
  const mayWrite = allows(role, "MEMBER");
  return (
    <section aria-label="Selected rows" className="flex min-h-10 flex-wrap items-center gap-1 border-b border-line bg-selected px-3 py-1 text-xs">
      <span className="font-medium">{count === undefined ? "All matching rows selected" : `${words} selected`}</span>
      <LiveRegion>{`${words} selected`}</LiveRegion>
      {onAll !== undefined && <Button variant="ghost" className="text-accent!" onClick={onAll}>Select all {total === undefined ? "" : `${formatCount(total)} `}matching</Button>}
      <span className="flex-1" />
      {compared !== undefined && <Link to="/project/$projectId/traces/diff" params={{ projectId }} search={compared as never} className={buttonClass("ghost")}><GitCompareArrows size={14} aria-hidden />Compare</Link>}
      {mayWrite && <Button variant="ghost" icon={Database} onClick={() => setDialog("dataset")}>Add to dataset</Button>}
      {mayWrite && <Button variant="ghost" icon={ClipboardList} onClick={() => setDialog("queue")}>Add to queue</Button>}
      <Button variant="ghost" icon={Download} onClick={() => setDialog("export")}>Export</Button>
      {allows(role, "ADMIN") && <Button variant="ghost" icon={Trash2} className="text-danger!" onClick={() => setDialog("delete")}>Delete traces</Button>}
      <IconButton icon={X} label="Clear selection" onClick={onClear} />
      <Suspense>
        {dialog === "export" && <ExportDialog {...target} fields={fields} name={table} />}
        {dialog === "dataset" && <DatasetDialog {...target} />}
        {dialog === "queue" && <QueueDialog {...target} table={table} />}
        {dialog === "delete" && <DeleteDialog {...target} onDeleted={onDeleted} />}
      </Suspense>
    </section>
  );
}

/** The address of a comparison, when rows of two traces are chosen: the older one first. */
function twoTraces(chosen: Chosen): { a: string; b: string } | undefined {
  const ids = "rows" in chosen ? [...new Set(chosen.rows.toSorted((x, y) => x.startTime.localeCompare(y.startTime)).flatMap(({ traceId }) => traceId ?? []))] : [];
  const [a, b] = ids;
  return ids.length === 2 ? { a: a!, b: b! } : undefined;
}
