import { type PointerEvent, useEffect, useMemo, useRef } from "react";
import { formatCount, formatDuration } from "@/shared/lib/format";
import { useTheme } from "@/shared/lib/theme";
import type { TimeWindow } from "../axis";
import { Density } from "../density";
import type { LoadedTrace } from "../loadTrace";
import { columnWidth, drawDensity } from "./drawDensity";

/** Runs once the rows are on screen: they are what people wait for. Returns how to call it off. */
function afterPaint(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const frame = requestAnimationFrame(() => (timer = setTimeout(run)));
  return () => (cancelAnimationFrame(frame), clearTimeout(timer));
}

interface MinimapProps {
  loaded: LoadedTrace;
  window: TimeWindow;
  width: number;
  onWindow: (window: TimeWindow) => void;
  onReset: () => void;
}

const height = 40;
const smallestDrag = 4; // pixels; less is a click

/** The whole trace in one strip: how much of what type runs when, where errors are, which part the axis shows. */
export function Minimap({ loaded, window, width, onWindow, onReset }: MinimapProps) {
  const { rows, length } = loaded;
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ from: number; moved: boolean; window: TimeWindow | null } | null>(null);
  const theme = useTheme();
  const density = useMemo(() => new Density(rows, Math.max(1, Math.floor(width / columnWidth))), [rows, width]);
  useEffect(() => {
    // Neither the colours of the theme nor rows that arrive are seen by React.
    const canvas = canvasRef.current;
    if (canvas === null || width === 0 || length === 0 || theme === undefined) return;
    return afterPaint(() => {
      density.update();
      drawDensity(canvas, density, rows.head.types, width, height);
    });
  }, [density, rows, length, width, theme]);

  const scale = width / rows.extent;
  const left = Math.max(0, window.from * scale);
  const right = Math.min(width, Math.max(window.to * scale, left + 2));
  const isWhole = window.from <= 0 && window.to >= rows.extent;
  const timeAt = (event: PointerEvent) => (event.clientX - event.currentTarget.getBoundingClientRect().left) / scale;

  const onPointerDown = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const from = timeAt(event);
    const inside = !isWhole && from >= window.from && from <= window.to && right - left > 12;
    drag.current = { from, moved: false, window: inside ? window : null };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag.current === null) return;
    const at = timeAt(event);
    const { from, window: held } = drag.current;
    if (!drag.current.moved && Math.abs(at - from) * scale < smallestDrag) return;
    drag.current.moved = true;
    if (held !== null) onWindow({ from: held.from + at - from, to: held.to + at - from });
    else onWindow({ from: Math.min(from, at), to: Math.max(from, at) });
  };

  const summary = `Overview of ${formatCount(rows.head.observations)} observations in ${formatDuration(rows.extent)}, ${formatCount(rows.head.errors)} errors. Drag to choose a part, or use + - 0 and f.`;
  return (
    <div
      className="relative shrink-0 cursor-crosshair touch-none select-none" style={{ width, height }}
      onPointerDown={onPointerDown} onPointerMove={onPointerMove} onPointerUp={() => (drag.current = null)} onPointerCancel={() => (drag.current = null)} onDoubleClick={onReset}
    >
      <canvas ref={canvasRef} role="img" aria-label={summary} className="block" style={{ width, height }} />
      {!isWhole && (
        <>
          <span className="pointer-events-none absolute inset-y-0 left-0 bg-bg opacity-60" style={{ width: left }} />
          <span className="pointer-events-none absolute inset-y-0 right-0 bg-bg opacity-60" style={{ width: Math.max(0, width - right) }} />
          <span className="pointer-events-none absolute inset-y-0 border-x-2 border-accent" style={{ left, width: Math.max(4, right - left) }} />
        </>
      )}
    </div>
  );
}
