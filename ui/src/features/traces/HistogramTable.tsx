import { formatCount } from "@/shared/lib/format";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import type { Bucket } from "./api";
import { levels } from "./histogram";

/** The same counts in figures; a press on a time makes it the time range. */
export function HistogramTable({ buckets, width, onSelect }: { buckets: readonly Bucket[]; width: number; onSelect: (start: number, end: number) => void }) {
  const [zone] = useTimeZone();
  const filled = buckets.filter(({ count }) => count > 0).toReversed();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <section tabIndex={0} aria-label="Rows over time, table" className="max-h-48 overflow-auto">
      <table className="w-full max-w-2xl text-xs">
        <thead className="sticky top-0 bg-bg text-text-2">
          <tr>
            <th scope="col" className="py-1 text-left font-medium">Started</th>
            {levels.map((level) => <th key={level} scope="col" className="py-1 pl-3 text-right font-medium">{level}</th>)}
          </tr>
        </thead>
        <tbody>
          {filled.map(({ time, levels: counts }) => (
            <tr key={time} className="border-t border-line">
              <th scope="row" className="text-left font-normal">
                <button type="button" className="min-h-6 text-accent hover:underline" onClick={() => onSelect(Date.parse(time), Date.parse(time) + width * 1000)}>{absoluteTime(time, zone)}</button>
              </th>
              {levels.map((level) => <td key={level} className="pl-3 text-right">{formatCount(counts[level])}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
