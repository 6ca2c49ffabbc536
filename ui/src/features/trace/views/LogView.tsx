import { type KeyboardEvent, useEffect, useEffectEvent, useId, useMemo, useRef } from "react";
import { formatCount } from "@/shared/lib/format";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { logOf } from "@/shared/trace/log";
import { useVirtualRows } from "@/shared/trace/view/useVirtualRows";
import { LogRow } from "./LogRow";
import { useFocusWhenLost } from "./useFocusWhenLost";
import { useLogTexts } from "./useLogTexts";
import type { ViewProps } from "./view";

const wideHeight = 26;
const narrowHeight = 48;

/** Everything that happened in the order of time, whoever called it: when, what, how it went and how its texts begin. */
export function LogView({ source, loaded, tree, filtering, onOpen, wide, empty }: ViewProps) {
  const { rows, marks, selected } = tree;
  const list = useMemo(() => logOf(rows, loaded.length, filtering ? marks : undefined), [rows, loaded.length, filtering, marks]);
  const height = wide ? wideHeight : narrowHeight;
  const scrollerRef = useRef<HTMLDivElement>(null);
  const blockRef = useRef<HTMLDivElement>(null);
  const virtual = useVirtualRows(scrollerRef, blockRef, list.length, height);
  const position = useMemo(() => (selected < 0 ? -1 : list.indexOf(selected)), [list, selected]);
  const texts = useLogTexts(source, rows, list, virtual.first, virtual.end);
  const prefix = useId();
  useFocusWhenLost(scrollerRef);

  const reveal = useEffectEvent(() => virtual.show(position, "center"));
  const id = selected < 0 ? "" : rows.ids.at(selected);
  const ready = virtual.viewport.height > 0;
  useEffect(() => {
    if (id !== "" && ready) reveal();
  }, [id, ready]);

  const go = (to: number) => {
    const row = list[Math.min(Math.max(to, 0), list.length - 1)];
    if (row !== undefined) tree.select(row);
  };
  useShortcuts("Log", [
    { keys: "j", label: "Next row", run: () => go(position + 1) },
    { keys: "k", label: "Previous row", run: () => go(position - 1) },
  ]);
  const page = Math.max(1, Math.floor(virtual.viewport.height / height) - 1);
  const steps: Record<string, number> = { ArrowDown: position + 1, ArrowUp: position - 1, PageDown: position + page, PageUp: position - page, Home: 0, End: list.length - 1 };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && position >= 0) onOpen();
    else if (steps[event.key] !== undefined) go(steps[event.key]!);
    else return;
    event.preventDefault();
  };

  if (list.length === 0) return <div className="min-w-0 flex-1">{empty}</div>;
  const mounted = Array.from(list.subarray(virtual.first, virtual.end));
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <p className="shrink-0 border-b border-line px-3 py-1 text-2xs text-text-2">{formatCount(list.length)} {list.length === 1 ? "observation" : "observations"} by time</p>
      <div
        ref={scrollerRef} data-trace-rows role="listbox" aria-label="Log" tabIndex={0} aria-activedescendant={mounted.includes(selected) ? `${prefix}-${selected}` : undefined}
        className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-scroll outline-offset-0" onScroll={virtual.onScroll} onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: virtual.height }}>
          <div role="presentation" ref={blockRef}>
            {mounted.map((row, index) => (
              <LogRow
                key={row} id={`${prefix}-${row}`} rows={rows} row={row} wide={wide} height={height} top={(virtual.first + index - virtual.base) * height}
                place={virtual.first + index + 1} count={list.length} selected={row === selected} text={texts.get(rows.ids.at(row))}
                onSelect={() => {
                  tree.select(row);
                  onOpen();
                }}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}
