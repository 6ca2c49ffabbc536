import { Link } from "@tanstack/react-router";
import { createContext, type ReactNode, use } from "react";
import { previewText } from "@/shared/chat/previewText";
import { none } from "@/shared/lib/format";
import type { Column, Shown } from "@/shared/table/columns";
import { Badge } from "@/shared/ui/Badge";
import { Duration, Money, Tokens } from "@/shared/ui/Figures";
import { Id } from "@/shared/ui/Id";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { Skeleton } from "@/shared/ui/Skeleton";
import { TypeIcon } from "@/shared/ui/TypeIcon";
import type { Observation, Preview } from "./api";
import type { Scores } from "./useScores";

/** Cells that ask for what comes by a second request find it here. */
export const PreviewContext = createContext<{ get: (row: Observation) => Preview | undefined }>({ get: () => undefined });

export const ScoreContext = createContext<Scores>({ get: () => null });

export interface ListColumn extends Column<Observation> {
  /** The group of fields that the row must have. */
  fields?: string;
}

/** Of which trace a row shows more than one root: a fault of its integration. */
export const SeveralRootsContext = createContext<ReadonlySet<string>>(new Set());

function Name({ row }: { row: Observation }) {
  const several = use(SeveralRootsContext).has(row.traceId ?? "");
  const name = row.name || (row.isRootObservation && row.traceName) || "(no name)";
  return (
    <>
      <TypeIcon type={row.type} />
      {row.traceId === null ? <span className="truncate">{name}</span> : (
        <Link
          to="/project/$projectId/traces/$traceId" params={{ projectId: row.projectId, traceId: row.traceId }}
          search={(row.isRootObservation ? {} : { observation: row.id }) as never} className="truncate font-medium hover:underline" tabIndex={-1} title={name}
        >
          {name}
        </Link>
      )}
      <LevelIcon level={row.level ?? "DEFAULT"} />
      {several && <span title="This trace has several roots: its application exports more than one span as a root. Costs and counts by trace see each of them."><Badge tone="warn">several roots</Badge></span>}
    </>
  );
}

function Text({ children }: { children: ReactNode }) {
  if (children === null || children === undefined || children === "") return <span className="text-text-3">{none}</span>;
  return <span className="truncate" title={typeof children === "string" ? children : undefined}>{children}</span>;
}

function PreviewCell({ row, part }: { row: Observation; part: "input" | "output" }) {
  const preview = use(PreviewContext).get(row);
  if (preview === undefined) return <Skeleton className="w-3/4" />;
  return <span className="truncate text-text-2">{preview[part] ? previewText(preview[part]) : <span className="text-text-3">{none}</span>}</span>;
}

/** Of a trace what all of its observations used, of an observation its own. */
export function Sum({ row, part, own }: { row: Observation; part: "inputTokens" | "outputTokens" | "totalTokens" | "totalCost"; own: number | null | undefined }) {
  const value = use(PreviewContext).get(row)?.trace?.[part] ?? own;
  return part === "totalCost" ? <Money amount={value || null} /> : <Tokens count={value || null} />;
}

function ScoreCell({ row, name }: { row: Observation; name: string }) {
  const score = use(ScoreContext).get(row, name);
  if (score === undefined) return <Skeleton className="w-10" />;
  if (score === null) return <Text>{null}</Text>;
  const value = typeof score.value === "number" ? Number(score.value.toPrecision(4)).toString() : String(score.value);
  return <><Text>{value}</Text>{score.count > 1 && <span className="shrink-0 text-2xs text-text-3" title={typeof score.value === "number" ? `Mean of ${score.count}` : `Newest of ${score.count}`}>×{score.count}</span>}</>;
}

/** What went in, or else what came out, in one line. */
export function PreviewLine({ row }: { row: Observation }) {
  const part = use(PreviewContext).get(row)?.input ? "input" : "output";
  return <PreviewCell row={row} part={part} />;
}

const number = (id: string, header: string, cell: (row: Observation) => ReactNode, fields: string, width = 76): ListColumn => ({ id, header, cell, fields, width, align: "end" });
const text = (id: string, header: string, value: (row: Observation) => string | null | undefined, fields = "basic", width = 132): ListColumn => ({ id, header, cell: (row) => <Text>{value(row)}</Text>, fields, width });

const fixed: ListColumn[] = [
  { id: "name", header: "Name", cell: (row) => <Name row={row} />, fields: "trace_context", width: 220 },
  { id: "startTime", header: "Started", cell: (row) => <AbsoluteTime value={row.startTime} className="whitespace-nowrap text-text-2" />, width: 144 },
  { id: "input", header: "Input", cell: (row) => <PreviewCell row={row} part="input" />, width: 150, grows: true },
  { id: "output", header: "Output", cell: (row) => <PreviewCell row={row} part="output" />, width: 130, grows: true },
  number("latency", "Latency", (row) => <Duration ms={typeof row.latency === "number" ? row.latency * 1000 : null} />, "metrics"),
  number("timeToFirstToken", "First token", (row) => <Duration ms={typeof row.timeToFirstToken === "number" ? row.timeToFirstToken * 1000 : null} />, "metrics"),
  number("totalTokens", "Tokens", (row) => <Sum row={row} part="totalTokens" own={row.totalUsage} />, "usage"),
  number("inputTokens", "Tokens in", (row) => <Sum row={row} part="inputTokens" own={row.inputUsage} />, "usage"),
  number("outputTokens", "Tokens out", (row) => <Sum row={row} part="outputTokens" own={row.outputUsage} />, "usage"),
  number("totalCost", "Cost", (row) => <Sum row={row} part="totalCost" own={row.totalCost} />, "usage", 80),
  text("model", "Model", (row) => row.model, "model"),
  text("userId", "User", (row) => row.userId, "basic", 104),
  text("sessionId", "Session", (row) => row.sessionId),
  text("environment", "Environment", (row) => row.environment, "basic", 112),
  text("level", "Level", (row) => row.level, "basic", 88),
  text("type", "Type", (row) => row.type, "core", 112),
  { id: "tags", header: "Tags", cell: (row) => (row.tags?.length ? row.tags.map((tag) => <Badge key={tag}>{tag}</Badge>) : <Text>{null}</Text>), fields: "trace_context", width: 152 },
  text("traceName", "Trace name", (row) => row.traceName, "trace_context"),
  text("release", "Release", (row) => row.release, "trace_context"),
  text("version", "Version", (row) => row.version),
  text("prompt", "Prompt", (row) => row.promptName && `${row.promptName}${typeof row.promptVersion === "number" ? ` v${row.promptVersion}` : ""}`, "prompt"),
  text("statusMessage", "Status message", (row) => row.statusMessage, "basic", 200),
  { id: "id", header: "Observation id", cell: (row) => <Id value={row.id} label="observation id" />, width: 148 },
  { id: "traceId", header: "Trace id", cell: (row) => (row.traceId === null ? <Text>{null}</Text> : <Id value={row.traceId} label="trace id" />), width: 148 },
];

export const fixedColumns: ReadonlyMap<string, ListColumn> = new Map(fixed.map((column) => [column.id, column]));

const metadataPrefix = "metadata.";

/** The column of a key of metadata. */
function metadataColumn(id: string): ListColumn {
  const key = id.slice(metadataPrefix.length);
  return { id, header: key, fields: "metadata", width: 132, cell: (row) => <Text>{show((row.metadata as Record<string, unknown> | undefined)?.[key])}</Text> };
}

function show(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const metadataColumnId = (key: string) => metadataPrefix + key;

const scorePrefix = "scores.";

/** The column of the scores of a name. */
function scoreColumn(id: string): ListColumn {
  const name = id.slice(scorePrefix.length);
  return { id, header: name, width: 112, cell: (row) => <ScoreCell row={row} name={name} /> };
}

export const scoreColumnId = (name: string) => scorePrefix + name;

/** The names of scores that columns show. */
export function shownScores(shown: readonly Shown[]): string[] {
  return shown.flatMap(({ id }) => (id.startsWith(scorePrefix) ? id.slice(scorePrefix.length) : []));
}

/** All columns that an address may name: the fixed ones, one for each key of metadata, and one for each name of scores. */
export function knownColumns(shown: readonly Shown[]): ReadonlyMap<string, ListColumn> {
  const extra = shown.flatMap(({ id }) => (id.startsWith(metadataPrefix) ? metadataColumn(id) : id.startsWith(scorePrefix) ? scoreColumn(id) : []));
  return extra.length === 0 ? fixedColumns : new Map([...fixedColumns, ...extra.map((column) => [column.id, column] as const)]);
}

const initialIds = {
  traces: ["startTime", "input", "output", "latency", "totalTokens", "totalCost", "userId"],
  observations: ["startTime", "input", "output", "latency", "totalTokens", "totalCost", "model"],
};

export function initialColumns(table: "traces" | "observations"): Shown[] {
  return [{ id: "name", pinned: true }, ...initialIds[table].map((id) => ({ id, pinned: false }))];
}

/** The groups of fields that the shown columns need. */
export function fieldsOf(shown: readonly Shown[], known: ReadonlyMap<string, ListColumn>): string {
  const groups = new Set(["core", "basic", "metrics", "usage", "trace_context"]);
  for (const { id } of shown) {
    const fields = known.get(id)?.fields;
    if (fields !== undefined) groups.add(fields);
  }
  return [...groups].toSorted().join(",");
}
