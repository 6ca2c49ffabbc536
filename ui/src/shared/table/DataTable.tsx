/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- boxes that are laid out by flex are no table to some browsers; roles say that they are */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useShortcuts } from "@/shared/lib/shortcuts";
import type { Column, Shown } from "./columns";
import { placeColumns, totalWidth } from "./layout";
import { moveBy, placesOf, rowAt, type Rows } from "./rows";
import { extend, isSelected, type Selection, toggle, toggleLoaded } from "./selection";
import { type Sort, TableHead } from "./TableHead";
import { PendingRow, TableRow } from "./TableRow";
import { useRowHeight } from "./useMedia";

export interface DataTableProps<Row> {
  label: string;
  /** What can be shown, by id. */
  known: ReadonlyMap<string, Column<Row>>;
  shown: readonly Shown[];
  widths?: Readonly<Record<string, number>>;
  onWidth?: (id: string, width: number) => void;
  /** Draws a whole row where there is no room for columns. */
  card?: { column: Column<Row>; height: number };
  rows: Rows<Row>;
  keyOf: (row: Row) => string;
  nameOf: (row: Row) => string;
  /** How many rows there are in all, if that is known. */
  total?: number;
  /** The key of the row that is open beside the list. */
  open?: string;
  onOpen: (row: Row) => void;
  onPeek: (row: Row) => void;
  selection?: Selection;
  onSelection?: (selection: Selection) => void;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Scrolling rests, and shows these places. */
  onVisible?: (from: number, to: number) => void;
  /** What stands in the place of rows: empty, loading, an error. */
  instead?: ReactNode;
}

/** A table of any length: only the rows in sight are drawn. It is a real table to those who do not see it. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, known, shown, widths = {}, card, rows, keyOf, nameOf, total, open, onPeek, selection, onSelection, onVisible, instead } = props;
  const [current, setCurrent] = useState(0);
  const rowHeight = useRowHeight();
  const height = card?.height ?? rowHeight;
  const places = placesOf(rows) + (rows.more ? 1 : 0);
  const scroller = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(false);
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed on
  const virtual = useVirtualizer({ count: places, getScrollElement: () => scroller.current, estimateSize: () => height, overscan: 6, scrollPaddingStart: rowHeight });
  useEffect(() => virtual.measure(), [virtual, height]);

  // What is open beside the list is where the keys go on from, also when something else opened it.
  const openAt = open === undefined ? -1 : rows.list.findIndex((row) => keyOf(row) === open);
  const [followed, setFollowed] = useState(open);
  if (followed !== open) {
    setFollowed(open);
    if (openAt >= 0) setCurrent(rows.first + openAt);
  }
  useEffect(() => {
    if (openAt >= 0) virtual.scrollToIndex(rows.first + openAt);
    // oxlint-disable-next-line react/exhaustive-deps -- only when another row is opened; scrolling away from it is allowed
  }, [open]);

  const ticks = selection !== undefined && onSelection !== undefined && card === undefined;
  const columns = useMemo(() => (card ? placeColumns(new Map([[card.column.id, card.column]]), [{ id: card.column.id, pinned: false }], {}, false) : placeColumns(known, shown, widths, ticks)), [card, known, shown, widths, ticks]);
  const keys = useMemo(() => rows.list.map(keyOf), [rows.list, keyOf]);

  const items = virtual.getVirtualItems();
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const resting = !virtual.isScrolling;
  useEffect(() => {
    if (resting && to > 0) onVisible?.(from, to);
  }, [resting, from, to, onVisible]);
  // A row that was far away is drawn only once the list has scrolled there.
  const focusRow = (index: number) => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    row?.focus({ preventScroll: true });
    wantsFocus.current = !row;
  };
  useEffect(() => {
    if (wantsFocus.current) focusRow(current);
  });

  const move = (key: string): boolean => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? height) / height) - 2);
    const next = moveBy(key, document.activeElement?.closest("tr") ? current : current - (key === "j" ? 1 : 0), placesOf(rows), page);
    if (next === undefined) return false;
    setCurrent(next);
    virtual.scrollToIndex(next);
    focusRow(next);
    return true;
  };
  const select = useCallback(
    (index: number, range: boolean) => {
      const key = keys[index - rows.first];
      if (key === undefined || selection === undefined) return;
      onSelection?.(range ? extend(selection, key, keys) : toggle(selection, key, keys));
    },
    [keys, rows.first, selection, onSelection],
  );
  const press = useCallback(
    (index: number) => {
      setCurrent(index);
      const row = rowAt(rows, index);
      if (row !== undefined) onPeek(row);
    },
    [rows, onPeek],
  );
  const act = (key: string, shift: boolean): boolean => {
    const row = rowAt(rows, current);
    if (row === undefined) return false;
    if (key === "Enter") props.onOpen(row);
    else if (key === " ") onPeek(row);
    else if (key.toLowerCase() === "x" && ticks) select(current, shift);
    else return false;
    return true;
  };
  useShortcuts("List", [
    { keys: "j", label: "Next row", run: () => move("j") },
    { keys: "k", label: "Previous row", run: () => move("k") },
    { keys: "enter", label: "Open row", run: () => act("Enter", false) },
    { keys: "space", label: "Look at row", run: () => act(" ", false) },
    { keys: "x", label: "Select row", run: () => act("x", false) },
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element) || event.target.closest("tbody") === null) return;
    if (/^(Enter| )$/.test(event.key) && event.target.closest("a,button,input") !== null) return;
    if (move(event.key) || act(event.key, event.shiftKey)) event.preventDefault();
  };

  const ticked = !ticks ? undefined : tickState(keys, selection);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- rows take focus; their keys are taken here
    <div ref={scroller} className="relative min-h-0 flex-1 overflow-auto [contain:strict]" onKeyDown={onKeyDown}>
      {(card === undefined || instead === undefined) && <table role="table" aria-label={label} aria-rowcount={(total ?? (rows.more ? -2 : placesOf(rows))) + 1} aria-colcount={columns.length + (ticks ? 1 : 0)} className="block" style={{ minWidth: card ? undefined : totalWidth(columns, ticks) }}>
        {card ? <caption className="sr-only">{label}</caption> : (
          <TableHead columns={columns} ticked={ticked} onTick={() => selection && onSelection?.(toggleLoaded(selection, keys))} sort={props.sort} onSort={props.onSort} onWidth={props.onWidth} />
        )}
        {instead === undefined && (
          <tbody role="rowgroup" className="relative block" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const row = rowAt(rows, index);
              if (row === undefined) return <PendingRow key={index} index={index} top={start} height={height} columns={columns.length + (ticks ? 1 : 0)} />;
              const key = keyOf(row);
              return (
                <TableRow
                  key={key} row={row} index={index} top={start} height={height} columns={columns} name={nameOf(row)} current={index === current} open={key === open}
                  selected={ticks ? isSelected(selection, key) : undefined} onSelect={select} onPress={press}
                />
              );
            })}
          </tbody>
        )}
      </table>}
      {instead}
    </div>
  );
}

function tickState(keys: readonly string[], selection: Selection): "all" | "some" | "none" {
  const count = keys.filter((key) => isSelected(selection, key)).length;
  if (count === 0) return "none";
  return count === keys.length ? "all" : "some";
}
