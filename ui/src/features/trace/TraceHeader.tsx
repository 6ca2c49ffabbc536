import { useNavigate } from "@tanstack/react-router";
import { ChevronDown, ChevronUp, Share2, Star } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { cx } from "@/shared/lib/classes";
import { useCopy } from "@/shared/lib/copy";
import { formatCount } from "@/shared/lib/format";
import type { Search } from "@/shared/lib/search";
import { neighboursOf } from "@/shared/trace/neighbours";
import type { TraceHead } from "@/shared/trace/rows";
import { Button } from "@/shared/ui/Button";
import { Duration, Money, Tokens } from "@/shared/ui/Figures";
import { IconButton } from "@/shared/ui/IconButton";
import { Id } from "@/shared/ui/Id";
import { LiveRegion } from "@/shared/ui/LiveRegion";

interface TraceHeaderProps {
  projectId: string;
  head: TraceHead;
  live: boolean;
  stalled: boolean;
}

export function TraceHeader({ projectId, head, live, stalled }: TraceHeaderProps) {
  const { copied, copy } = useCopy();
  const { before, after, open } = useNeighbours(projectId, head.id);
  return (
    <header className="flex shrink-0 items-center gap-x-4 gap-y-1 border-b border-line px-3 py-1.5 max-md:grid max-md:grid-cols-[1fr_auto]">
      <div className="flex min-w-0 flex-1 items-center gap-x-4 gap-y-0.5 max-md:contents">
        <div className="flex min-w-0 items-center gap-2">
          <h1 className="truncate text-lg font-semibold">{head.name || "Trace"}</h1>
          {head.bookmarked && <Star size={14} role="img" aria-label="Bookmarked" className="shrink-0 fill-current text-warn" />}
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
        <IconButton icon={ChevronUp} label="Previous trace of the list" keys="shift+k" disabled={before === null} onClick={() => open(before)} />
        <IconButton icon={ChevronDown} label="Next trace of the list" keys="shift+j" disabled={after === null} onClick={() => open(after)} />
        <Button variant="primary" icon={Share2} onClick={() => copy(location.href)}><span className="max-md:sr-only">{copied ? "Link copied" : "Share"}</span></Button>
      </div>
      <LiveRegion>{copied ? "Link copied" : ""}</LiveRegion>
    </header>
  );
}

/** The traces around this one in the list it was opened from. */
export function useNeighbours(projectId: string, traceId: string) {
  const navigate = useNavigate();
  const { before, after } = useMemo(() => neighboursOf(projectId, traceId), [projectId, traceId]);
  const open = (id: string | null) => {
    if (id === null) return;
    const sameView = (search: Search) => ({ view: search.view });
    void navigate({ to: "/project/$projectId/traces/$traceId", params: { projectId, traceId: id }, search: sameView as never });
  };
  return { before, after, open };
}

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
