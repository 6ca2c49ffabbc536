import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useEffectEvent, useId, useLayoutEffect, useMemo, useRef } from "react";
import type { TimeWindow } from "../axis";
import { hit, positionOf } from "../folds";
import type { TraceRows } from "../rows";
import { treeKey } from "./treeKeys";
import { type RowLayout, TraceRow } from "./TraceRow";
import type { Tree } from "./useTree";
import { useVirtualRows, type VirtualRows } from "./useVirtualRows";

export interface TraceTreeProps {
  tree: Tree;
  layout: RowLayout;
  rowHeight: number;
  /** Width of the column of names. */
  gutter: number;
  window: TimeWindow;
  /** Rows without an end have heard nothing for long. */
  stalled: boolean;
  onOpen: (row: number) => void;
  onLaneWidth: (width: number) => void;
  /** Which of the rows are in view once scrolling rests. */
  onRest: (shown: Int32Array, first: number, end: number) => void;
}

const restMs = 90;
const margin = 12; // of a stacked row's bar, on both sides

export function TraceTree({ tree, layout, rowHeight, gutter, window, stalled, onOpen, onLaneWidth, onRest }: TraceTreeProps) {
  const { rows, shown, folds, marks, selected } = tree;
  const scrollerRef = useRef<HTMLDivElement>(null);
  const blockRef = useRef<HTMLDivElement>(null);
  const list = useVirtualRows(scrollerRef, blockRef, shown.length, rowHeight);
  const { viewport, offset, show } = list;
  const prefix = useId();
  const width = Math.max(0, layout === "stacked" ? viewport.width - 2 * margin : viewport.width - gutter);
  const lane = useMemo(() => ({ window, width }), [window, width]);
  useLayoutEffect(() => onLaneWidth(width), [onLaneWidth, width]);

  const rest = useCallback(() => {
    onRest(shown, Math.floor(offset() / rowHeight), Math.ceil((offset() + viewport.height) / rowHeight));
  }, [onRest, shown, offset, rowHeight, viewport.height]);
  const restAfterScroll = useDelayed(rest, restMs);
  useEffect(() => restAfterScroll(), [restAfterScroll]);

  // Bring the chosen row into view when it was chosen, or came with a later block; not when the list around it changes.
  const found = selected >= 0 ? rows.ids.at(selected) : "";
  const reveal = useEffectEvent((first: boolean) => show(positionOf(shown, selected), first ? "center" : "nearest"));
  const revealed = useRef(false);
  useLayoutEffect(() => {
    if (found === "" || viewport.height === 0) return;
    reveal(!revealed.current);
    revealed.current = true;
  }, [found, viewport.height]);
  useKeptPlace(tree, list, rowHeight);

  const onClick = (event: MouseEvent) => {
    const element = (event.target as Element).closest("[data-row]");
    if (element === null) return;
    const row = Number(element.getAttribute("data-row"));
    if ((event.target as Element).closest("[data-caret]") !== null) return tree.fold(row, folds[row] === 0);
    if (rows.isSynthetic(row)) return;
    tree.select(row);
    onOpen(row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = treeKey(event, tree, Math.max(1, Math.floor(viewport.height / rowHeight) - 1));
    if (act === undefined) return;
    event.preventDefault();
    if (act === "open") {
      if (selected >= 0) onOpen(selected);
    } else act();
  };

  const mounted = Array.from(shown.subarray(list.first, list.end));
  const atHand = selected >= 0 && mounted.includes(selected);
  return (
    <div
      ref={scrollerRef} role="tree" aria-label="Observations" tabIndex={0} data-trace-rows
      aria-activedescendant={atHand ? `${prefix}-${selected}` : undefined}
      className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-scroll outline-offset-0"
      onScroll={() => {
        list.onScroll();
        restAfterScroll();
      }}
      onClick={onClick} onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: list.height }}>
        <div role="presentation" ref={blockRef}>
          {mounted.map((row, index) => (
            <TraceRow
              key={row} id={`${prefix}-${row}`} rows={rows} row={row} layout={layout} height={rowHeight} top={(list.first + index - list.base) * rowHeight} gutter={gutter} lane={lane}
              selected={row === selected} folded={folds[row] === 1} pale={marks !== undefined && (marks[row]! & hit) === 0}
              stalled={stalled} childCount={rows.children[row]!} siblings={rows.siblings(row)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** A trace that is read anew may have rows above those in view: what is in view stays where it is. */
function useKeptPlace(tree: Tree, list: VirtualRows, rowHeight: number): void {
  const { rows, shown } = tree;
  const before = useRef<{ rows: TraceRows; shown: Int32Array }>({ rows, shown });
  const keep = useEffectEvent((old: { rows: TraceRows; shown: Int32Array }) => {
    const offset = list.offset();
    const top = old.shown[Math.floor(offset / rowHeight)];
    const moved = top === undefined ? -1 : rows.ids.findSame(old.rows.ids, top);
    if (moved >= 0) list.scrollTo(positionOf(shown, moved) * rowHeight + (offset % rowHeight));
  });
  useLayoutEffect(() => {
    if (before.current.rows !== rows) keep(before.current);
    before.current = { rows, shown };
  }, [rows, shown]);
}

/** Calls a while after the last call. */
function useDelayed(run: () => void, ms: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(run, ms);
  }, [run, ms]);
}
