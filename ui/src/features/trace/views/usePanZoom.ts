import { type PointerEvent, type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { type Laid, nodeSize, type Point } from "@/shared/trace/layOut";

interface View extends Point {
  scale: number;
}

const [farthest, nearest] = [0.1, 3];

/** Which part of a drawing is in view. It fits the box until somebody moves it. */
export function usePanZoom(svg: RefObject<SVGSVGElement | null>, laid: Laid) {
  const [box, setBox] = useState({ width: 0, height: 0 });
  const [moved, setMoved] = useState<View | null>(null);
  const view = moved ?? fitted(laid, box);
  useEffect(() => {
    const element = svg.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => entry !== undefined && setBox({ width: entry.contentRect.width, height: entry.contentRect.height }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [svg]);

  const pan = (dx: number, dy: number) => setMoved({ ...view, x: view.x + dx, y: view.y + dy });
  const zoom = (factor: number, at: Point = { x: box.width / 2, y: box.height / 2 }) => {
    const scale = Math.min(nearest, Math.max(farthest, view.scale * factor));
    const ratio = scale / view.scale;
    setMoved({ scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio });
  };
  /** Brings a node into view. */
  const show = ({ x, y }: Point) => {
    const [left, top] = [view.x + x * view.scale, view.y + y * view.scale];
    const [right, bottom] = [left + nodeSize.width * view.scale, top + nodeSize.height * view.scale];
    const dx = left < 0 ? -left + 16 : Math.min(0, box.width - right - 16);
    const dy = top < 0 ? -top + 16 : Math.min(0, box.height - bottom - 16);
    if (dx !== 0 || dy !== 0) pan(dx, dy);
  };

  const onWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault();
    if (!event.ctrlKey && !event.metaKey) return pan(-event.deltaX, -event.deltaY);
    const { left, top } = svg.current!.getBoundingClientRect();
    zoom(Math.exp(-Math.min(Math.max(event.deltaY, -100), 100) * 0.004), { x: event.clientX - left, y: event.clientY - top });
  });
  useEffect(() => {
    const element = svg.current;
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [svg]);

  const held = useRef<Point | null>(null);
  const handlers = {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      if (event.button !== 0 || (event.target as Element).closest("[data-node]") !== null) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      held.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: PointerEvent) => {
      if (held.current === null) return;
      pan(event.clientX - held.current.x, event.clientY - held.current.y);
      held.current = { x: event.clientX, y: event.clientY };
    },
    onPointerUp: () => (held.current = null),
    onPointerCancel: () => (held.current = null),
  };
  return { view, zoom, show, fit: useCallback(() => setMoved(null), []), handlers };
}

function fitted({ width, height }: Laid, box: { width: number; height: number }): View {
  if (box.width === 0 || width === 0) return { x: 0, y: 0, scale: 1 };
  const scale = Math.max(farthest, Math.min(1, box.width / width, box.height / height));
  return { scale, x: (box.width - width * scale) / 2, y: Math.max(0, (box.height - height * scale) / 2) };
}
