import type { ReactNode } from "react";
import { formatCount } from "@/shared/lib/format";
import { ChartFrame, FigureTable } from "./ChartFrame";

/** How many values lie between two bounds. */
export interface Bin {
  lower: number;
  upper: number;
  height: number;
}

export interface HistogramProps {
  title: string;
  bins: readonly Bin[];
  format: (value: number | null) => string;
  height?: number;
  actions?: ReactNode;
  /** A bar leads to what it counts. */
  onBin?: (bin: Bin) => void;
}

/** How values are spread: a bar per bin, as wide as the bin is. */
export function Histogram({ title, bins, format, height = 160, actions, onBin }: HistogramProps) {
  const most = Math.max(1, ...bins.map((bin) => bin.height));
  const total = bins.reduce((sum, bin) => sum + bin.height, 0);
  const fullest = bins.find((bin) => bin.height === most);
  const [first, last] = [bins[0]?.lower ?? 0, bins.at(-1)?.upper ?? 0];
  const place = (value: number) => (last > first ? ((value - first) / (last - first)) * 100 : 0);
  const labelOf = (bin: Bin) => `${format(bin.lower)} to ${format(bin.upper)}`;
  const summary = fullest === undefined ? "No values" : `${formatCount(Math.round(total))} values from ${format(first)} to ${format(last)}; most, ${formatCount(Math.round(most))}, from ${labelOf(fullest)}`;
  const rows = bins.map((bin) => ({ key: String(bin.lower), label: labelOf(bin), cells: [formatCount(Math.round(bin.height))] }));
  return (
    <ChartFrame
      title={title} height={height} actions={actions} summary={summary}
      table={<FigureTable head="From, to" columns={["Values"]} rows={rows} onPoint={onBin && ((row) => onBin(bins[row]!))} />}
    >
      <div className="relative" style={{ height: height - 20 }} aria-hidden>
        {bins.map((bin) => {
          const wide = last > first ? Math.max(0.5, place(bin.upper) - place(bin.lower)) : 100;
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the table has the same as buttons
            <div key={bin.lower} title={`${labelOf(bin)}: ${formatCount(Math.round(bin.height))}`} className={`absolute inset-y-0 flex items-end px-px ${onBin === undefined ? "" : "cursor-pointer hover:bg-surface"}`} style={{ left: `${place(bin.lower)}%`, width: `${wide}%` }} onClick={() => onBin?.(bin)}>
              <span className="w-full rounded-t-xs bg-chain forced-color-adjust-none" style={{ height: `${Math.max(bin.height > 0 ? 1 : 0, (bin.height / most) * 100)}%` }} />
            </div>
          );
        })}
      </div>
      <p aria-hidden className="-mt-2 flex justify-between text-2xs text-text-3"><span>{format(first)}</span><span>{format(last)}</span></p>
    </ChartFrame>
  );
}
