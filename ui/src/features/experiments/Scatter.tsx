import { type PointerEvent, useRef, useState } from "react";
import { type Figure, figureText, figureTitle, type Point, sameFigure, type Side, ticksOf } from "./model";

export interface ScatterProps {
  points: readonly Point[];
  sides: readonly Side[];
  x: Figure;
  y: Figure;
  onOpen: (itemId: string) => void;
}

const width = 640;
const height = 300;
const edge = { left: 64, right: 12, top: 10, bottom: 40 };
const reach = 14;

/** How each run marks its points, so that they differ without color, too. */
const marks: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`,
  (x, y) => `M${x - 3} ${y - 3}l6 6m0 -6l-6 6`,
  (x, y) => `M${x - 3} ${y - 3}h6v6h-6z`,
  (x, y) => `M${x - 4} ${y}h8m-4 -4v8`,
  (x, y) => `M${x} ${y - 4}l4 7h-8z`,
];

function scaleOf(values: readonly number[], from: number, to: number) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  [low, high] = [low - room, high + room];
  return { low, high, at: (value: number) => Math.round((from + ((value - low) / (high - low)) * (to - from)) * 10) / 10 };
}

/** Points by two figures, drawn as one path per run: thousands of them cost no more than a few elements. Those who do not see it read the table instead. */
export function Scatter({ points, sides, x, y, onOpen }: ScatterProps) {
  const box = useRef<SVGSVGElement>(null);
  const [near, setNear] = useState<Point>();
  const across = scaleOf(points.map((point) => point.x), edge.left, width - edge.right);
  const up = scaleOf(points.map((point) => point.y), height - edge.bottom, edge.top);
  const find = (event: PointerEvent) => {
    const place = box.current?.getBoundingClientRect();
    if (place === undefined) return;
    const [px, py] = [((event.clientX - place.left) / place.width) * width, ((event.clientY - place.top) / place.height) * height];
    let best: Point | undefined;
    let distance = reach;
    for (const point of points) {
      const away = Math.hypot(across.at(point.x) - px, up.at(point.y) - py);
      if (away < distance) [best, distance] = [point, away];
    }
    setNear(best);
  };
  return (
    <div className="relative">
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- the table has the same points for keys */}
      <svg ref={box} aria-hidden viewBox={`0 0 ${width} ${height}`} className={near === undefined ? "w-full" : "w-full cursor-pointer"} onPointerMove={find} onPointerLeave={() => setNear(undefined)} onClick={() => near !== undefined && onOpen(near.itemId)}>
        {ticksOf(across.low, across.high).map((tick) => (
          <g key={tick}>
            <line x1={across.at(tick)} x2={across.at(tick)} y1={edge.top} y2={height - edge.bottom} className="stroke-line" />
            <text x={across.at(tick)} y={height - edge.bottom + 14} textAnchor="middle" className="fill-text-3 text-[11px]">{figureText(x, tick)}</text>
          </g>
        ))}
        {ticksOf(up.low, up.high).map((tick) => (
          <g key={tick}>
            <line x1={edge.left} x2={width - edge.right} y1={up.at(tick)} y2={up.at(tick)} className="stroke-line" />
            <text x={edge.left - 6} y={up.at(tick) + 4} textAnchor="end" className="fill-text-3 text-[11px]">{figureText(y, tick)}</text>
          </g>
        ))}
        <text x={(width + edge.left) / 2} y={height - 6} textAnchor="middle" className="fill-text-2 text-[11px]">{sameFigure(x, y) ? `${figureTitle(x)}, baseline` : figureTitle(x)}</text>
        {sameFigure(x, y) && <line x1={across.at(Math.max(across.low, up.low))} y1={up.at(Math.max(across.low, up.low))} x2={across.at(Math.min(across.high, up.high))} y2={up.at(Math.min(across.high, up.high))} className="stroke-line-strong" strokeDasharray="4 4" />}
        {sides.map((side, index) => (
          <path key={side.id} d={points.filter((point) => point.side === index).map((point) => (marks[index % marks.length] ?? marks[0]!)(across.at(point.x), up.at(point.y))).join("")} fill="none" strokeWidth={1.5} className="forced-color-adjust-none" style={{ stroke: `var(--${side.color})` }} />
        ))}
        {near !== undefined && <circle cx={across.at(near.x)} cy={up.at(near.y)} r={7} fill="none" strokeWidth={2} className="stroke-focus" />}
      </svg>
      {near !== undefined && (
        <p aria-hidden className="pointer-events-none absolute top-0 right-0 max-w-72 rounded-md border border-line bg-raised px-2 py-1 text-2xs shadow-overlay">
          <span className="font-medium">{near.itemId}</span> · {sides[near.side]?.letter} · {figureText(x, near.x)} / {figureText(y, near.y)}
        </p>
      )}
    </div>
  );
}
