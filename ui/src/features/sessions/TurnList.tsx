import { useVirtualizer } from "@tanstack/react-virtual";
import { Link } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { cx } from "@/shared/lib/classes";
import { formatCount, formatDuration } from "@/shared/lib/format";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import { Duration, Money } from "@/shared/ui/Figures";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import type { TranscriptProps } from "./Transcript";
import { shortestIdle } from "./turns";

const turnHeight = 48;
const gapHeight = 24;

/** The turns of a session with the pauses between them; a press shows one in the transcript. */
export function TurnList({ turns, current, figuresOf }: TranscriptProps) {
  const scroller = useRef<HTMLElement>(null);
  const [zone] = useTimeZone();
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed on
  const virtual = useVirtualizer({
    count: turns.length, getScrollElement: () => scroller.current, overscan: 8, getItemKey: (index) => turns[index]!.traceId,
    estimateSize: (index) => turnHeight + (turns[index]!.idle >= shortestIdle ? gapHeight : 0),
  });
  const showTurn = useEffectEvent((traceId: string) => {
    const index = turns.findIndex((turn) => turn.traceId === traceId);
    if (index >= 0) virtual.scrollToIndex(index);
  });
  useEffect(() => {
    if (current !== undefined) showTurn(current);
  }, [current]);
  return (
    <nav ref={scroller} aria-label="Turns" className="w-72 shrink-0 overflow-auto border-r border-line">
      <ol className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const { traceId, name, level, start: began, end, idle } = turns[index]!;
          const figures = figuresOf(traceId);
          return (
            <li key={key} aria-setsize={turns.length} aria-posinset={index + 1} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
              {idle >= shortestIdle && <p className="flex items-center gap-2 px-3 text-2xs text-text-3 after:h-px after:flex-1 after:bg-line" style={{ height: gapHeight }}>{formatDuration(idle)} idle</p>}
              <Link
                to="." search={((before: object) => ({ ...before, turn: traceId })) as never} replace resetScroll={false} aria-current={traceId === current ? "true" : undefined} style={{ height: turnHeight }}
                className={cx("flex flex-col justify-center gap-0.5 px-3 text-xs", traceId === current ? "bg-selected" : "hover:bg-surface")}
              >
                <span className="flex items-center gap-1.5">
                  <span className="min-w-5 text-text-3">{formatCount(index + 1)}</span>
                  <span className="min-w-0 truncate font-medium">{name}</span>
                  <LevelIcon level={level} />
                  <span className="ml-auto shrink-0 text-text-3">{absoluteTime(began, zone).slice(5, 16)}</span>
                </span>
                <span className="flex gap-3 pl-6.5 text-text-2">
                  <Duration ms={end === null ? null : end - began} />
                  <Money amount={figures?.cost || null} />
                  {figures !== undefined && figures.errors > 0 && <span className="text-danger">{figures.errors === 1 ? "1 error" : `${formatCount(figures.errors)} errors`}</span>}
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
