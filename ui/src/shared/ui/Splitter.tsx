import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { cx } from "@/shared/lib/classes";

export interface SplitterProps {
  /** What is made larger or smaller, such as "Details". */
  label: string;
  /** The id of that panel. */
  controls?: string;
  value: number;
  onChange: (value: number) => void;
  min: number;
  max: number;
  /** Where the panel lies: "end" grows to the left, or up. */
  panel?: "start" | "end";
  /** Of the line that is dragged. */
  orientation?: "vertical" | "horizontal";
  /** What a double-click goes back to. */
  initial?: number;
  className?: string;
}

const step = 16;
const leap = 96;

/** The line between two panels. */
export function Splitter(props: SplitterProps) {
  const { label, controls, value, onChange, min, max, panel = "end", orientation = "vertical", initial, className } = props;
  const from = useRef({ at: 0, value: 0 });
  const upright = orientation === "vertical";
  const clamp = (next: number) => Math.round(Math.min(Math.max(next, min), Math.max(min, max)));
  const place = (event: PointerEvent) => (upright ? event.clientX : event.clientY);
  const direction = panel === "start" ? 1 : -1;

  const onKeyDown = (event: KeyboardEvent) => {
    const next = keyTarget(event, props);
    if (next === null) return;
    event.preventDefault();
    onChange(clamp(next));
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator with a value is a control
    <div
      role="separator" aria-label={`Resize ${label}`} aria-controls={controls} aria-orientation={orientation}
      aria-valuenow={clamp(value)} aria-valuemin={min} aria-valuemax={Math.max(min, max)}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      tabIndex={0}
      className={cx(
        "group relative z-10 shrink-0 touch-none bg-line outline-offset-0 select-none hover:bg-accent focus-visible:bg-accent",
        upright ? "w-px cursor-col-resize" : "h-px cursor-row-resize",
        className,
      )}
      onKeyDown={onKeyDown}
      onDoubleClick={() => initial !== undefined && onChange(clamp(initial))}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { at: place(event), value };
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        onChange(clamp(from.current.value + direction * (place(event) - from.current.at)));
      }}
    >
      <span className={cx("absolute", upright ? "inset-y-0 -inset-x-1.5 pointer-coarse:-inset-x-5" : "inset-x-0 -inset-y-1.5 pointer-coarse:-inset-y-5")} />
    </div>
  );
}

/** Where a key moves the line, or null. */
function keyTarget(event: KeyboardEvent, { value, min, max, panel = "end", orientation = "vertical" }: SplitterProps): number | null {
  const [less, more] = orientation === "vertical" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  const by = (event.shiftKey ? leap : step) * (panel === "start" ? 1 : -1);
  if (event.key === more) return value + by;
  if (event.key === less) return value - by;
  if (event.key === "Home") return min;
  if (event.key === "End") return max;
  return null;
}
