import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useDeferredValue, useEffect, useRef } from "react";
import { formatCount } from "@/shared/lib/format";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { previewText } from "@/shared/chat/previewText";
import { Skeleton } from "@/shared/ui/Skeleton";
import type { ComparedItem } from "./api";
import type { Side } from "./model";
import { RunCell } from "./RunCell";
import { SideMark } from "./SideMark";
import type { Against, Results } from "./useResults";

const rowHeight = 176;

/** Items down, runs across. Only the items in sight are drawn. */
export function ItemGrid({ results }: { results: Results }) {
  const { pages, sides, against, setItem } = results;
  const { rows, look } = pages;
  const scroller = useRef<HTMLDivElement>(null);
  const count = rows.first + rows.list.length + (rows.more ? 1 : 0);
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed on
  const virtual = useVirtualizer({ count, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 3, scrollPaddingStart: 40 });
  const drawn = virtual.getVirtualItems();
  const [from, to] = [drawn[0]?.index ?? 0, drawn.at(-1)?.index ?? 0];
  useEffect(() => look(from, to), [look, from, to]);

  const step = (by: number) => {
    const at = Number(document.activeElement?.closest("[data-index]")?.getAttribute("data-index") ?? (by > 0 ? -1 : 1));
    const next = Math.max(0, Math.min(count - 1, at + by));
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"] button`)?.focus({ preventScroll: true }));
  };
  useShortcuts("List", [
    { keys: "j", label: "Next item", run: () => step(1) },
    { keys: "k", label: "Previous item", run: () => step(-1) },
  ]);
  const columns = { gridTemplateColumns: `minmax(180px, 240px) repeat(${sides.length}, minmax(240px, 1fr))`, minWidth: 180 + 240 * sides.length };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <div ref={scroller} tabIndex={0} role="region" aria-label="Items, side by side" className="relative min-h-0 flex-1 overflow-auto [contain:strict]">
      <div role="table" aria-label="Items" aria-rowcount={(pages.head?.total ?? -2) + 1} aria-colcount={sides.length + 1} className="min-w-fit">
        <div role="rowgroup" className="sticky top-0 z-10">
          <div role="row" className="grid border-y border-line bg-surface text-xs text-text-2" style={columns}>
            <div role="columnheader" className="px-3 py-2 font-medium">Item</div>
            {sides.map((side) => <div key={side.id} role="columnheader" className="flex min-w-0 items-center gap-1.5 border-l border-line px-3 py-1.5 font-medium"><SideMark side={side} /><span className="truncate" title={side.name}>{side.name}</span></div>)}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {drawn.map(({ index, start }) => {
            const item = rows.list[index - rows.first];
            return (
              <div key={item?.itemId ?? index} role="row" data-index={index} aria-rowindex={index + 2} className="absolute inset-x-0 top-0 grid border-b border-line [contain:strict]" style={{ ...columns, height: rowHeight, transform: `translateY(${start}px)` }}>
                {item === undefined ? <div role="cell" className="p-3"><Skeleton className="w-32" /></div> : <ItemCells item={item} index={index} sides={sides} against={against} onOpen={setItem} />}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface ItemCellsProps {
  item: ComparedItem;
  index: number;
  sides: readonly Side[];
  against: Against;
  onOpen: (id: string) => void;
}

/**
 * Drawn once: the grid draws itself anew at each step of scrolling. What runs came to follows when the browser has time, so that
 * an item that comes into sight does not hold up the scrolling.
 */
const ItemCells = memo(function ItemCells({ item, index, sides, against, onOpen }: ItemCellsProps) {
  const baseline = item.runs.find((run) => run.experimentId === sides[0]?.id);
  const asked = item.runs[0];
  const whole = useDeferredValue(true, false);
  return (
    <>
      <div role="rowheader" className="flex min-w-0 flex-col gap-1 overflow-hidden px-3 py-2 text-xs">
        <span className="text-2xs text-text-3">{formatCount(index + 1)}</span>
        <button type="button" className="min-h-6 truncate text-left font-medium text-accent hover:underline pointer-coarse:min-h-11" title={item.itemId} onClick={() => onOpen(item.itemId)}>{item.itemId}</button>
        <p className="line-clamp-4 break-words text-text-2">{previewText(asked?.input ?? "")}</p>
        {(asked?.expectedOutput ?? "") !== "" && <p className="line-clamp-2 break-words text-text-3">Expected: {previewText(asked?.expectedOutput ?? "")}</p>}
      </div>
      {sides.map((side, at) => (
        <div key={side.id} role="cell" className="min-w-0 overflow-hidden border-l border-line px-3 py-2 text-xs">
          {whole && <RunCell run={item.runs.find((run) => run.experimentId === side.id)} baseline={at === 0 ? undefined : baseline} against={against} itemId={item.itemId} side={side} />}
        </div>
      ))}
    </>
  );
});
