import { formatCount, formatDuration } from "@/shared/lib/format";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import type { HeatMap, Histogram } from "./api";
import { levels, usedBands } from "./histogram";

/** The histogram in figures, for those who cannot see or drag it. */
export function HistogramTable({ histogram, onSelect }: { histogram: Histogram | HeatMap; onSelect: (start: number, end: number) => void }) {
  const [zone] = useTimeZone();
  const { heads, rows } = figures(histogram);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <section tabIndex={0} aria-label="Rows over time, table" className="max-h-48 overflow-auto">
      <table className="w-full max-w-4xl text-xs">
        <thead className="sticky top-0 bg-bg text-text-2">
          <tr>
            <th scope="col" className="py-1 text-left font-medium">Started</th>
            {heads.map((head) => <th key={head} scope="col" className="py-1 pl-3 text-right font-medium whitespace-nowrap">{head}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ time, counts }) => (
            <tr key={time} className="border-t border-line">
              <th scope="row" className="text-left font-normal whitespace-nowrap">
                <button type="button" className="min-h-6 text-accent hover:underline" onClick={() => onSelect(Date.parse(time), Date.parse(time) + histogram.bucketSeconds * 1000)}>{absoluteTime(time, zone)}</button>
              </th>
              {counts.map((count, index) => <td key={heads[index]} className="pl-3 text-right">{formatCount(count)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function figures(histogram: Histogram | HeatMap): { heads: string[]; rows: { time: string; counts: number[] }[] } {
  if (histogram.measure === "count") {
    const filled = histogram.buckets.filter(({ count }) => count > 0);
    return { heads: [...levels], rows: filled.map((bucket) => ({ time: bucket.time, counts: levels.map((level) => bucket.levels[level]) })) };
  }
  const bands = usedBands(histogram);
  const filled = histogram.buckets.filter(({ count }) => count > 0);
  return {
    heads: bands.map((band) => `from ${formatDuration(histogram.bandMilliseconds[band] ?? 0)}`),
    rows: filled.map((bucket) => ({ time: bucket.time, counts: bands.map((band) => bucket.bands[band] ?? 0) })),
  };
}
