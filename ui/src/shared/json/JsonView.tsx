import { type KeyboardEvent, type MouseEvent, useId, useMemo, useRef, useState } from "react";
import { useVirtualRows } from "@/shared/trace/view/useVirtualRows";
import { JsonRow } from "./JsonRow";
import { type Document, openDocument, type Row, rowsOf, showMore, toggle } from "./rows";
import { JsonError } from "./scan";

const rowHeight = 22;
const tallest = 480;

/** A JSON text as a tree. Only what is on screen is drawn, and only what is open is read. */
export function JsonView({ bytes, label }: { bytes: Uint8Array; label: string }) {
  const opened = useMemo(() => tryOpen(bytes), [bytes]);
  if (opened === null) return <PlainText bytes={bytes} />;
  return <Tree key={`${bytes.byteOffset}:${bytes.byteLength}`} opened={opened} label={label} />;
}

/** Whether a text can be shown as a tree. */
export function tryOpen(bytes: Uint8Array): Document | null {
  try {
    return openDocument(bytes);
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

function PlainText({ bytes }: { bytes: Uint8Array }) {
  const text = useMemo(() => new TextDecoder().decode(bytes), [bytes]);
  return <pre className="px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap">{text}</pre>;
}

function Tree({ opened, label }: { opened: Document; label: string }) {
  const [document, setDocument] = useState(opened);
  const [current, setCurrent] = useState(0);
  const scroll = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  const id = useId();
  const rows = useMemo(() => rowsOf(document), [document]);
  const at = Math.min(current, rows.length - 1);
  const virtual = useVirtualRows(scroll, block, rows.length, rowHeight);

  function act(row: Row) {
    setDocument(row.kind === "more" ? showMore(document, row.parent) : row.foldable ? toggle(document, row.value) : document);
  }
  function go(index: number) {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setCurrent(next);
    virtual.show(next);
  }
  function onClick(event: MouseEvent<HTMLElement>) {
    const place = (event.target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset.index;
    const row = rows[Number(place ?? -1)];
    if (row === undefined) return;
    setCurrent(Number(place));
    act(row);
  }
  function onKeyDown(event: KeyboardEvent) {
    const row = rows[at];
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -rows.length, End: rows.length }[event.key];
    if (step !== undefined) go(at + step);
    else if (row === undefined) return;
    else if (event.key === "Enter" || event.key === " ") act(row);
    else if (event.key === "ArrowRight" && row.kind === "value" && row.foldable && !row.open) act(row);
    else if (event.key === "ArrowLeft" && row.kind === "value" && row.open) act(row);
    else if (event.key === "ArrowLeft") go(rows.findLastIndex((other, index) => index < at && other.depth < row.depth));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div
      ref={scroll}
      role="tree"
      aria-label={label}
      aria-activedescendant={`${id}-${at}`}
      tabIndex={0}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onScroll={virtual.onScroll}
      className="overflow-auto font-mono text-xs"
      style={{ height: Math.min(tallest, rows.length * rowHeight + 8) }}
    >
      <div role="presentation" className="relative" style={{ height: virtual.height }}>
        <div role="presentation" ref={block} className="absolute top-0 min-w-full">
          {rows.slice(virtual.first, virtual.end).map((row, offset) => {
            const index = virtual.first + offset;
            return <JsonRow key={index} id={`${id}-${index}`} bytes={document.bytes} row={row} index={index} height={rowHeight} current={index === at} />;
          })}
        </div>
      </div>
    </div>
  );
}
