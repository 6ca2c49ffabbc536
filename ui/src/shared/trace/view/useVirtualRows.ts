import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import { mountedRange, offsetShowing, scrollRange } from "../scroll";

const around = 6;
const baseStep = 1000;

export interface VirtualRows {
  /** Of the element that makes the scroll bar. */
  height: number;
  /** The position that the block begins with: a row is as many rows below its top. */
  base: number;
  first: number;
  end: number;
  viewport: { width: number; height: number };
  onScroll: () => void;
  /** In pixels of rows, which for very long lists are not those of the scroll bar. */
  offset: () => number;
  scrollTo: (offset: number) => void;
  show: (position: number, place?: "nearest" | "center") => void;
}

type Element = RefObject<HTMLDivElement | null>;

/** Mounts the rows in view only. Rows all have the same height; `blockRef` holds them and is moved to where they belong. */
export function useVirtualRows(scrollerRef: Element, blockRef: Element, count: number, rowHeight: number): VirtualRows {
  const [viewport, setViewport] = useState({ width: 0, height: 0 });
  const [top, setTop] = useState(0); // the first row in view
  const { height, scale } = scrollRange(count, rowHeight, viewport.height);
  const lowest = Math.max(0, count * rowHeight - viewport.height);
  const { first, end } = mountedRange(Math.min(top * rowHeight, lowest), viewport.height + rowHeight, rowHeight, count, around);
  const offset = useCallback(() => (scrollerRef.current?.scrollTop ?? 0) * scale, [scrollerRef, scale]);

  // Where the block stands. Rows hardly ever move in it, so that scrolling renders and paints new rows only.
  const base = scale === 1 ? 0 : first - (first % baseStep);
  const settle = useCallback(() => {
    if (blockRef.current === null || scrollerRef.current === null) return;
    const shift = scale === 1 ? 0 : base * rowHeight + scrollerRef.current.scrollTop - offset();
    blockRef.current.style.transform = shift === 0 ? "" : `translateY(${shift}px)`;
  }, [scrollerRef, blockRef, base, rowHeight, scale, offset]);
  useLayoutEffect(settle, [settle]);

  const onScroll = useCallback(() => {
    setTop(Math.floor(offset() / rowHeight));
    settle();
  }, [offset, rowHeight, settle]);
  useKeptOffset(scrollerRef, scale);

  useLayoutEffect(() => {
    const element = scrollerRef.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setViewport({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scrollerRef]);

  const scrollTo = useCallback(
    (to: number) => {
      if (scrollerRef.current === null) return;
      scrollerRef.current.scrollTop = to / scale;
      onScroll();
    },
    [scrollerRef, scale, onScroll],
  );
  const show = useCallback(
    (position: number, place: "nearest" | "center" = "nearest") => {
      const view = scrollerRef.current?.clientHeight ?? 0;
      const near = offsetShowing(position, offset(), view, rowHeight);
      if (near === offset()) return;
      scrollTo(place === "center" ? position * rowHeight - (view - rowHeight) / 2 : near);
    },
    [scrollerRef, offset, rowHeight, scrollTo],
  );
  return { height, base, first, end, viewport, onScroll, offset, scrollTo, show };
}

/** A list that grows beyond what browsers can scroll gets another scale: what is in view stays. */
function useKeptOffset(scrollerRef: Element, scale: number): void {
  const before = useRef(scale);
  useLayoutEffect(() => {
    if (scrollerRef.current !== null && before.current !== scale) scrollerRef.current.scrollTop *= before.current / scale;
    before.current = scale;
  }, [scrollerRef, scale]);
}
