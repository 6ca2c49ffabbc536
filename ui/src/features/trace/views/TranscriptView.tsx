import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { positionOf } from "@/shared/trace/folds";
import { type TranscriptItem, type TranscriptKind, transcriptOf } from "@/shared/trace/transcript";
import { TranscriptEntry } from "./TranscriptEntry";
import { useFocusWhenLost } from "./useFocusWhenLost";
import type { ViewProps } from "./view";

/** Before an entry was measured. */
const expected: Record<TranscriptKind, number> = { agent: 40, said: 180, step: 40, turn: 220 };

/** The trace as a conversation: what models were asked and answered, by agent, with the steps between folded. Texts are read for
 * what is in view. */
export function TranscriptView({ source, tree, onOpen, wide, empty }: ViewProps) {
  const { rows, shown, selected } = tree;
  const items = useMemo(() => transcriptOf(rows, shown), [rows, shown]);
  const itemRows = useMemo(() => Int32Array.from(items, ({ row }) => row), [items]);
  const scroller = useRef<HTMLDivElement>(null);
  useFocusWhenLost(scroller);
  // oxlint-disable-next-line react/incompatible-library -- it renders whenever the list moves
  const virtual = useVirtualizer({
    count: items.length, getScrollElement: () => scroller.current, overscan: 3, paddingStart: 8, paddingEnd: 24,
    estimateSize: (index) => expected[items[index]!.kind], getItemKey: (index) => rows.ids.at(items[index]!.row),
  });
  const position = selected < 0 ? -1 : positionOf(itemRows, selected);
  useChosenInView(selected < 0 ? "" : rows.ids.at(selected), () => position >= 0 && virtual.scrollToIndex(position, { align: "auto" }));

  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => setOpened((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id])), []);
  const step = (by: number) => {
    const item = items[Math.min(Math.max(position + by, 0), items.length - 1)];
    if (item !== undefined) tree.select(item.row);
  };
  useShortcuts("Transcript", [
    { keys: "j", label: "Next entry", run: () => step(1) },
    { keys: "k", label: "Previous entry", run: () => step(-1) },
  ]);

  if (items.length === 0) return <div className="min-w-0 flex-1">{empty}</div>;
  const select = (item: TranscriptItem) => {
    tree.select(item.row);
    onOpen();
  };
  return (
    // What scrolls has to be reached by keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={scroller} data-trace-rows tabIndex={0} role="feed" aria-label="Transcript" aria-busy={false} className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-offset-0">
      <div role="presentation" className="relative mx-auto max-w-4xl" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index]!;
          const id = rows.ids.at(item.row);
          return (
            <div key={key} ref={virtual.measureElement} data-index={index} role="presentation" className="absolute inset-x-0 top-0 px-3 py-1" style={{ transform: `translateY(${start}px)` }}>
              <TranscriptEntry
                source={source} rows={rows} item={item} place={index + 1} count={items.length} selected={index === position} wide={wide}
                resting={!virtual.isScrolling} open={item.kind === "agent" ? tree.folds[item.row] === 0 : opened.has(id)}
                onToggle={() => (item.kind === "agent" ? tree.fold(item.row, tree.folds[item.row] === 0) : toggle(id))} onSelect={() => select(item)}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Brings the chosen entry into view when another was chosen; not when the list around it changes. */
function useChosenInView(id: string, show: () => void): void {
  const reveal = useEffectEvent(show);
  useEffect(() => {
    if (id !== "") reveal();
  }, [id]);
}
