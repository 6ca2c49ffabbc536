import { type ReactNode, type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { useStoredNumber } from "@/shared/lib/preferences";
import { formatCount } from "@/shared/lib/format";
import { Checkbox } from "@/shared/ui/Checkbox";
import { Splitter } from "@/shared/ui/Splitter";
import type { LoadedTrace } from "../loadTrace";
import { Minimap } from "./Minimap";
import { TimeAxis } from "./TimeAxis";
import type { RowLayout } from "./TraceRow";
import { TraceTree } from "./TraceTree";
import type { TimeView } from "./useTimeWindow";
import type { Tree } from "./useTree";

export interface TraceTimelineProps {
  loaded: LoadedTrace;
  tree: Tree;
  time: TimeView;
  layout: RowLayout;
  rowHeight: number;
  stalled: boolean;
  onOpen: (row: number) => void;
  /** What stands there when there are no rows. */
  empty: ReactNode;
}

const gutterStart = 360;
const edge = 12; // of a stacked row's bar

/** Overview, axis and rows: a trace in time, or as a table of figures. */
export function TraceTimeline({ loaded, tree, time, layout, rowHeight, stalled, onOpen, empty }: TraceTimelineProps) {
  const [gutter, setGutter] = useStoredNumber("trace.names", gutterStart);
  const [laneWidth, setLaneWidth] = useState(0);
  const boxRef = useRef<HTMLDivElement>(null);
  const names = Math.min(gutter, Math.max(160, gutter + laneWidth - 160));
  useLaneWheel(boxRef, layout === "stacked" ? edge : names, laneWidth, time);
  const onRest = useCallback((...rest: Parameters<TimeView["onRest"]>) => time.onRest(...rest), [time]);
  const count = <Count tree={tree} loaded={loaded} />;
  const minimap = <Minimap loaded={loaded} window={time.window} width={laneWidth} onWindow={time.set} onReset={time.whole} />;
  return (
    <div ref={boxRef} className="relative flex min-h-0 min-w-0 flex-1 flex-col">
      {layout === "timeline" && (
        <div className="flex shrink-0 border-b border-line">
          <div className="flex shrink-0 flex-col justify-end border-r border-line px-3 py-1" style={{ width: names }}>
            <div className="flex items-center justify-between gap-2 text-2xs text-text-2">{count}<Checkbox checked={time.following} onChange={time.follow}>follow scroll</Checkbox></div>
          </div>
          <div className="min-w-0 overflow-hidden">{minimap}<TimeAxis window={time.window} width={laneWidth} /></div>
        </div>
      )}
      {layout === "stacked" && (
        <div className="shrink-0 border-b border-line px-3">
          {minimap}
          <TimeAxis window={time.window} width={laneWidth} />
        </div>
      )}
      {layout === "brief" && <p className="shrink-0 border-b border-line px-3 py-1 text-2xs text-text-2">{count}</p>}
      {layout === "table" && <TableHead count={count} width={names + laneWidth} />}
      {tree.shown.length === 0 ? empty : <TraceTree tree={tree} layout={layout} rowHeight={rowHeight} gutter={names} window={time.window} stalled={stalled} onOpen={onOpen} onLaneWidth={setLaneWidth} onRest={onRest} />}
      {layout === "timeline" && (
        <div className="absolute inset-y-0 flex" style={{ left: names - 1 }}>
          <Splitter label="Names" panel="start" value={names} onChange={setGutter} min={160} max={names + laneWidth - 160} initial={gutterStart} />
        </div>
      )}
    </div>
  );
}

function Count({ tree, loaded }: { tree: Tree; loaded: LoadedTrace }) {
  const { shown, rows } = tree;
  const all = formatCount(rows.head.rows);
  if (loaded.length < rows.head.rows) return <span>{formatCount(loaded.length)} of {all} observations are here …</span>;
  return <span>{shown.length === rows.head.rows ? `${all} observations` : `${formatCount(shown.length)} of ${all} observations`}</span>;
}

function TableHead({ count, width }: { count: ReactNode; width: number }) {
  const figure = "w-22 shrink-0 pl-2 text-right";
  return (
    <div className="flex h-7 shrink-0 items-center border-b border-line text-2xs text-text-2" style={{ width }}>
      <span className="min-w-0 flex-1 truncate px-3">{count}</span>
      <span className="w-36 shrink-0 pl-2 max-lg:hidden">Model</span>
      <span className={figure}>Start</span>
      <span className={figure}>Duration</span>
      <span className={figure}>Tokens</span>
      <span className={`${figure} pr-3`}>Cost</span>
    </div>
  );
}

/** Ctrl or Cmd with the wheel, and a pinch, zoom at the pointer; a wheel to the side moves along. */
function useLaneWheel(boxRef: RefObject<HTMLDivElement | null>, left: number, width: number, time: TimeView): void {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    const box = boxRef.current;
    if (box === null || width === 0) return;
    const { from, to } = time.window;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const share = (event.clientX - box.getBoundingClientRect().left - left) / width;
      time.zoom(Math.exp(Math.min(Math.max(event.deltaY, -100), 100) * 0.004), from + Math.min(Math.max(share, 0), 1) * (to - from));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      time.pan(((event.deltaX || event.deltaY) / width) * (to - from));
    }
  });
  useEffect(() => {
    const box = boxRef.current;
    box?.addEventListener("wheel", onWheel, { passive: false });
    return () => box?.removeEventListener("wheel", onWheel);
  }, [boxRef]);
}
