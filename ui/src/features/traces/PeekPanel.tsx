import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronUp, Maximize2, X } from "lucide-react";
import type { ReactNode } from "react";
import { useProject } from "@/shared/api/project";
import { formatDuration } from "@/shared/lib/format";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { Badge } from "@/shared/ui/Badge";
import { buttonClass } from "@/shared/ui/Button";
import { CopyButton } from "@/shared/ui/CopyButton";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Money, Tokens } from "@/shared/ui/Figures";
import { IconButton } from "@/shared/ui/IconButton";
import { Id } from "@/shared/ui/Id";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { TypeBadge } from "@/shared/ui/TypeIcon";
import { loadRow, loadText, type Observation } from "./api";

export interface PeekPanelProps {
  id: string;
  /** The row as the list has it, if it has. */
  row: Observation | undefined;
  /** To the neighbours in the list; undefined: there is none. */
  onMove: (by: -1 | 1) => void;
  onClose: () => void;
  /** It lies in a sheet, which has a title and a way out of its own. */
  inSheet: boolean;
}

/** A row beside the list: its figures, and the beginning of what went in and came out. */
export function PeekPanel({ id, row, onMove, onClose, inSheet }: PeekPanelProps) {
  const project = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: ["observation", project.id, id],
    enabled: row === undefined,
    queryFn: ({ signal }) => loadRow(project, { id }, "core,basic,metrics,usage,model,prompt,trace_context", signal),
  });
  useShortcuts("Peek", [
    { keys: "shift+j", label: "Next row", run: () => onMove(1) },
    { keys: "shift+k", label: "Previous row", run: () => onMove(-1) },
    { keys: "escape", label: "Close", run: onClose },
  ]);
  const shown = row ?? data;
  return (
    <section aria-label="Selected row" className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg">
      <header className="flex h-10 shrink-0 items-center gap-1 border-b border-line pr-1 pl-3">
        {inSheet ? <span className="flex-1" /> : <h2 className="min-w-0 flex-1 truncate text-sm font-semibold">{shown ? titleOf(shown) : "…"}</h2>}
        <IconButton icon={ChevronDown} label="Next row" keys="shift+j" onClick={() => onMove(1)} />
        <IconButton icon={ChevronUp} label="Previous row" keys="shift+k" onClick={() => onMove(-1)} />
        {shown?.traceId && (
          <Link to="/project/$projectId/traces/$traceId" params={{ projectId: project.id, traceId: shown.traceId }} search={(shown.isRootObservation ? {} : { observation: shown.id }) as never} className={buttonClass("ghost", "w-(--control) px-0")} aria-label="Open trace" title="Open trace">
            <Maximize2 size={16} aria-hidden className="shrink-0" />
          </Link>
        )}
        {!inSheet && <IconButton icon={X} label="Close" keys="escape" onClick={onClose} />}
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <div tabIndex={0} role="group" aria-label="Details" className="min-h-0 flex-1 overflow-auto p-3">
        {error !== null && <ErrorState error={error} compact onRetry={() => void refetch()} />}
        {shown === undefined && error === null && <SkeletonRows rows={6} />}
        {shown === null && <p className="text-text-2">This row is not there any more.</p>}
        {shown && <Facts row={shown} />}
        {shown && <TextPart row={shown} part="input" title="Input" />}
        {shown && <TextPart row={shown} part="output" title="Output" />}
      </div>
    </section>
  );
}

export const titleOf = (row: Observation) => row.name || row.traceName || "(no name)";

function Facts({ row }: { row: Observation }) {
  return (
    <>
      <p className="mb-3 flex flex-wrap items-center gap-1.5"><TypeBadge type={row.type} />{row.level !== "DEFAULT" && row.level && <span className="flex items-center gap-1 text-xs"><LevelIcon level={row.level} />{row.statusMessage}</span>}{row.tags?.map((tag) => <Badge key={tag}>{tag}</Badge>)}</p>
      <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs sm:grid-cols-[auto_1fr_auto_1fr]">
        <Fact name="Started"><AbsoluteTime value={row.startTime} className="whitespace-nowrap" /></Fact>
        <Fact name="Latency">{formatDuration(typeof row.latency === "number" ? row.latency * 1000 : null)}</Fact>
        <Fact name="Tokens"><Tokens count={row.totalUsage || null} /></Fact>
        <Fact name="Cost"><Money amount={row.totalCost || null} /></Fact>
        {row.model && <Fact name="Model">{row.model}</Fact>}
        {row.userId && <Fact name="User">{row.userId}</Fact>}
        {row.sessionId && <Fact name="Session">{row.sessionId}</Fact>}
        <Fact name="Environment">{row.environment}</Fact>
        {row.traceId && <Fact name="Trace"><Id value={row.traceId} label="trace id" /></Fact>}
        <Fact name="Observation"><Id value={row.id} label="observation id" /></Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="flex items-center text-text-3">{name}</dt>
      <dd className="flex min-h-6 min-w-0 items-center break-all">{children}</dd>
    </>
  );
}

const shownBytes = 32_768;

function TextPart({ row, part, title }: { row: Observation; part: "input" | "output"; title: string }) {
  const project = useProject();
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ["io", project.id, row.traceId, row.id, part],
    queryFn: ({ signal }) => loadText(project, row, part, shownBytes, signal),
  });
  const text = data === undefined ? "" : pretty(data.text);
  return (
    <section aria-label={title} className="mb-4">
      <h3 className="flex items-center justify-between text-xs font-medium text-text-2">{title}{text !== "" && <CopyButton text={text} label={`Copy ${part}`} />}</h3>
      {error !== null && <ErrorState error={error} compact onRetry={() => void refetch()} />}
      {isPending && error === null && <SkeletonRows rows={2} />}
      {data !== undefined && text === "" && <p className="text-xs text-text-3">None</p>}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      {text !== "" && <pre tabIndex={0} aria-label={title} className="max-h-96 overflow-auto rounded-md border border-line bg-surface p-2 font-mono text-2xs break-words whitespace-pre-wrap">{text}</pre>}
      {data !== undefined && !data.whole && <p className="pt-1 text-2xs text-text-3">This is the beginning. Open the trace for the rest.</p>}
    </section>
  );
}

/** JSON with indents; a text, and JSON that was cut, as it is. */
function pretty(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? text);
  } catch {
    return text;
  }
}
