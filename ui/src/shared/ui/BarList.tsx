import type { ReactNode } from "react";

export interface Bar {
  key: string;
  label: ReactNode;
  value: number;
  text: string;
}

/** Rows with a bar behind each, the longest as wide as the list. */
export function BarList({ label, bars, onSelect }: { label: string; bars: readonly Bar[]; onSelect?: (key: string) => void }) {
  const largest = Math.max(...bars.map((bar) => bar.value), 0);
  return (
    <ul aria-label={label} className="flex flex-col gap-0.5">
      {bars.map((bar) => {
        const content = (
          <>
            <span aria-hidden className="absolute inset-y-0 left-0 rounded-sm bg-selected" style={{ width: `${largest > 0 ? (bar.value / largest) * 100 : 0}%` }} />
            <span className="relative min-w-0 flex-1 truncate text-left">{bar.label}</span>
            <span className="relative shrink-0 text-text-2">{bar.text}</span>
          </>
        );
        const row = "relative flex h-7 w-full items-center gap-3 px-2 text-xs pointer-coarse:h-11";
        return (
          <li key={bar.key}>
            {onSelect === undefined ? <div className={row}>{content}</div> : <button type="button" className={`${row} hover:underline`} onClick={() => onSelect(bar.key)}>{content}</button>}
          </li>
        );
      })}
    </ul>
  );
}
