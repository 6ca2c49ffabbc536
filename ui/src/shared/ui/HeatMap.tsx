import type { ReactNode } from "react";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import type { ChartSeries } from "./Chart";
import { ChartFrame, FigureTable } from "./ChartFrame";

export interface HeatMapProps {
  title: string;
  note?: string;
  times: readonly number[];
  /** A row each; their colours do not count. */
  series: readonly ChartSeries[];
  format: (value: number | null) => string;
  height?: number;
  actions?: ReactNode;
  /** A field leads to what it counts. */
  onPoint?: (series: number, bucket: number) => void;
}

/** How strong a field is: a third of it shows at once that there is something at all. */
const shadeOf = (value: number, most: number) => 0.2 + 0.8 * Math.sqrt(value / most);

/** Values over time, a row each: the more the darker. */
export function HeatMap({ title, note, times, series, format, height = 160, actions, onPoint }: HeatMapProps) {
  const [zone] = useTimeZone();
  const timeOf = (index: number) => absoluteTime((times[index] ?? 0) * 1000, zone).slice(0, 16);
  const most = Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)), 0);
  const strongest = series.flatMap(({ label, values }) => values.map((value, index) => ({ label, value: value ?? 0, index }))).find(({ value }) => value === most);
  const summary = most > 0 && strongest !== undefined ? `At most ${format(most)}, ${strongest.label} at ${timeOf(strongest.index)}` : "No values";
  const rows = series.map(({ label, values }) => ({ key: label, label, cells: times.map((_, index) => format(values[index] ?? null)) }));
  return (
    <ChartFrame
      title={title} note={note} height={height} actions={actions} summary={summary}
      table={<FigureTable head="" columns={times.map((_, index) => timeOf(index))} rows={rows} onPoint={onPoint} />}
    >
      <div aria-hidden className="grid grid-cols-[minmax(60px,25%)_1fr] gap-x-2 overflow-hidden" style={{ height }}>
        {series.map(({ label, values }, row) => (
          <div key={label} className="contents">
            <span className="self-center truncate text-xs text-text-2">{label}</span>
            <span className="flex min-h-0 gap-px py-px">
              {times.map((time, index) => {
                const value = values[index] ?? null;
                return (
                  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the table has the same as buttons
                  <span key={time} title={`${label}, ${timeOf(index)}: ${format(value)}`} className={`flex min-w-0 flex-1 bg-surface ${onPoint === undefined ? "" : "cursor-pointer hover:outline-1 hover:outline-focus"}`} onClick={() => onPoint?.(row, index)}>
                    {value !== null && value > 0 && <span className="flex-1 bg-chain forced-color-adjust-none" style={{ opacity: shadeOf(value, most) }} />}
                  </span>
                );
              })}
            </span>
          </div>
        ))}
      </div>
      <p aria-hidden className="-mt-1 flex justify-between pl-[calc(25%+8px)] text-2xs text-text-3"><span>{timeOf(0)}</span><span>{timeOf(times.length - 1)}</span></p>
    </ChartFrame>
  );
}
