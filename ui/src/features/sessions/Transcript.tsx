import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useRef } from "react";
import { ErrorState } from "@/shared/ui/ErrorState";
import type { TurnFigures } from "./api";
import { TurnCard } from "./TurnCard";
import type { Turn } from "./turns";
import { useContent } from "./useSession";

export interface TranscriptProps {
  turns: readonly Turn[];
  /** The trace of the turn that is looked at. */
  current: string | undefined;
  figuresOf: (traceId: string) => TurnFigures | undefined;
}

/** What was said in a session, turn by turn. Only the turns in sight are read and drawn. */
export function Transcript({ turns, current, figuresOf }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed on
  const virtual = useVirtualizer({ count: turns.length, getScrollElement: () => scroller.current, estimateSize: () => 260, overscan: 2, getItemKey: (index) => turns[index]!.traceId });
  const items = virtual.getVirtualItems();
  const content = useContent(turns, items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  // Texts arrive after their turns and change heights: the turn of the address is kept in place until somebody scrolls.
  const held = useRef<string>(undefined);
  const letGo = () => (held.current = undefined);
  const hold = useEffectEvent(() => {
    const index = turns.findIndex(({ traceId }) => traceId === held.current);
    if (index >= 0) virtual.scrollToIndex(index, { align: "start" });
  });
  const height = virtual.getTotalSize();
  useEffect(() => {
    held.current = current;
    hold();
  }, [current]);
  useEffect(() => hold(), [height]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- what scrolls must be reachable by keys; they only end the holding
    <section ref={scroller} tabIndex={0} aria-label="Transcript" onWheel={letGo} onPointerDown={letGo} onKeyDown={letGo} className="min-h-0 min-w-0 flex-1 overflow-auto">
      {content.error !== null && <ErrorState compact error={content.error} onRetry={content.retry} />}
      <ol className="relative" style={{ height }}>
        {items.map(({ index, start, key }) => {
          const turn = turns[index]!;
          return (
            <li key={key} ref={virtual.measureElement} data-index={index} aria-setsize={turns.length} aria-posinset={index + 1} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
              <TurnCard turn={turn} place={index + 1} current={turn.traceId === current} content={content.get(turn.traceId)} figures={figuresOf(turn.traceId)} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}
