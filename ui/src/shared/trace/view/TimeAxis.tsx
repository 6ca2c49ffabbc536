import { tickLabel, ticks, type TimeWindow } from "../axis";

export function TimeAxis({ window, width }: { window: TimeWindow; width: number }) {
  const found = ticks(window, width);
  const step = found.length > 1 ? found[1]! - found[0]! : window.to - window.from;
  return (
    <div aria-hidden className="relative h-6 overflow-hidden" style={{ width }}>
      {found.map((at) => (
        <span key={at} className="absolute inset-y-0 border-l border-line pl-1 text-2xs leading-6 whitespace-nowrap text-text-2" style={{ left: ((at - window.from) / (window.to - window.from)) * width }}>
          {tickLabel(at, step)}
        </span>
      ))}
    </div>
  );
}
