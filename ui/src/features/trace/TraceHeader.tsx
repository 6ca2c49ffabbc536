import { useNavigate } from "@tanstack/react-router";
import { ChevronDown, ChevronUp } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import type { Search } from "@/shared/lib/search";
import { neighboursOf } from "@/shared/trace/neighbours";
import type { TraceHead } from "@/shared/trace/rows";
import type { TraceSource } from "@/shared/trace/source";
import { Duration, Money, Tokens } from "@/shared/ui/Figures";
import { IconButton } from "@/shared/ui/IconButton";
import { Id } from "@/shared/ui/Id";

interface TraceHeaderProps {
  source: TraceSource;
  head: TraceHead;
  live: boolean;
  stalled: boolean;
  /** What can be done with the trace. */
  actions: ReactNode;
}

export function TraceHeader({ source, head, live, stalled, actions }: TraceHeaderProps) {
  const { before, after, open } = useNeighbours(source);
  return (
    <header className="flex shrink-0 items-center gap-x-4 gap-y-1 border-b border-line px-3 py-1.5 max-md:grid max-md:grid-cols-[1fr_auto]">
      <div className="flex min-w-0 flex-1 items-center gap-x-4 gap-y-0.5 max-md:contents">
        <div className="flex min-w-0 items-center gap-2">
          <h1 className="truncate text-lg font-semibold">{head.name || "Trace"}</h1>
          {live && <LiveMark stalled={stalled} />}
        </div>
        <dl className="flex flex-wrap items-center gap-x-4 text-xs text-text-2 max-md:col-span-2 max-md:row-start-2 max-md:gap-x-3">
          <Stat name="Latency"><Duration ms={Date.parse(head.endTime) - Date.parse(head.startTime)} /></Stat>
          <Stat name="Tokens"><Tokens count={head.totalTokens} /></Stat>
          <Stat name="Cost"><Money amount={head.totalCost} /></Stat>
          <Stat name="Errors"><span className={head.errors > 0 ? "text-danger" : undefined}>{formatCount(head.errors)}</span></Stat>
        </dl>
        <span className="min-w-0 max-md:hidden"><Id value={head.id} label="trace id" /></span>
      </div>
      <div className="flex shrink-0 items-center gap-1">
        {!source.shared && <IconButton icon={ChevronUp} label="Previous trace of the list" keys="shift+k" disabled={before === null} onClick={() => open(before)} />}
        {!source.shared && <IconButton icon={ChevronDown} label="Next trace of the list" keys="shift+j" disabled={after === null} onClick={() => open(after)} />}
        {actions}
      </div>
    </header>
  );
}

/** The traces around this one in the list it was opened from. */
export function useNeighbours({ projectId, traceId, shared }: TraceSource) {
  const navigate = useNavigate();
  const { before, after } = useMemo(() => (shared || projectId === undefined ? nobody : neighboursOf(projectId, traceId)), [projectId, traceId, shared]);
  const open = (id: string | null) => {
    if (id === null || projectId === undefined) return;
    const sameView = (search: Search) => ({ view: search.view });
    void navigate({ to: "/project/$projectId/traces/$traceId", params: { projectId, traceId: id }, search: sameView as never });
  };
  return { before, after, open };
}

const nobody = { before: null, after: null };

function LiveMark({ stalled }: { stalled: boolean }) {
  return (
    <span className={cx("inline-flex shrink-0 items-center gap-1.5 text-2xs", stalled ? "text-warn" : "text-ok")} title={stalled ? "Some observations have no end, and nothing came for more than 5 minutes." : "Some observations have no end yet. News are shown as they come."}>
      <span className="size-2 rounded-full bg-current" />
      {stalled ? "stalled" : "live"}
    </span>
  );
}

function Stat({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-1.5 whitespace-nowrap">
      <dt>{name}</dt>
      <dd className="font-medium text-text">{children}</dd>
    </div>
  );
}
