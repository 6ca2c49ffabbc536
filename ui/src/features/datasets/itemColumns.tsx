import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { none } from "@/shared/lib/format";
import type { Column } from "@/shared/table/columns";
import { Badge } from "@/shared/ui/Badge";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import type { ItemRow } from "./api";

function Preview({ text, more }: { text: string | null; more: boolean }) {
  if (text === null) return <span className="text-text-3">{none}</span>;
  return <span className="truncate font-mono text-2xs" title={more ? undefined : text}>{text}{more && "…"}</span>;
}

function Status({ status }: { status: ItemRow["status"] }) {
  return <Badge tone={status === "ACTIVE" ? "ok" : "neutral"}>{status === "ACTIVE" ? "active" : "archived"}</Badge>;
}

function Source({ row: { sourceTraceId, sourceObservationId } }: { row: ItemRow }) {
  const { id: projectId } = useProject();
  if (sourceTraceId === null) return <span className="text-text-3">{none}</span>;
  return (
    <Link
      to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: sourceTraceId }} search={(sourceObservationId === null ? {} : { observation: sourceObservationId }) as never}
      className="truncate font-mono text-2xs text-accent hover:underline" tabIndex={-1} title={sourceTraceId}
    >
      <span className="sr-only">Trace </span>{sourceTraceId.slice(0, 12)}
    </Link>
  );
}

const columns: Column<ItemRow>[] = [
  { id: "id", header: "Item", cell: ({ id }) => <span className="truncate font-medium" title={id}>{id}</span>, width: 168 },
  { id: "status", header: "Status", cell: ({ status }) => <Status status={status} />, width: 84 },
  { id: "input", header: "Input", cell: ({ input, inputMore }) => <Preview text={input} more={inputMore} />, width: 280, grows: true },
  { id: "expectedOutput", header: "Expected output", cell: ({ expectedOutput, expectedOutputMore }) => <Preview text={expectedOutput} more={expectedOutputMore} />, width: 240 },
  { id: "metadata", header: "Metadata", cell: ({ metadata, metadataMore }) => <Preview text={metadata} more={metadataMore} />, width: 160 },
  { id: "source", header: "Source", cell: (row) => <Source row={row} />, width: 112 },
  { id: "version", header: "Changed", cell: ({ version }) => <RelativeTime value={version} className="whitespace-nowrap text-text-2" />, width: 104 },
];

export const known: ReadonlyMap<string, Column<ItemRow>> = new Map(columns.map((column) => [column.id, column]));
export const shown = columns.map(({ id }) => ({ id, pinned: id === "id" }));
export const card = {
  height: 64,
  column: {
    id: "card", header: "Item", width: 0, grows: true,
    cell: ({ id, status, input, inputMore, version }: ItemRow) => (
      <span className="flex min-w-0 flex-1 flex-col gap-1 px-1">
        <span className="flex items-center gap-2"><span className="min-w-0 flex-1 truncate text-sm font-medium">{id}</span>{status === "ARCHIVED" && <Status status={status} />}<RelativeTime value={version} className="shrink-0 text-text-3" /></span>
        <Preview text={input} more={inputMore} />
      </span>
    ),
  },
};
