import { formatCount, formatDuration, formatPercent } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { StatTile } from "@/shared/ui/StatTile";
import { changeOf, errorRate, pointsOf, toneOf, type Totals } from "./model";

/** Four figures of a time, each with its change against the time before; that may arrive later. */
export function Tiles({ now, before }: { now: Totals | undefined; before: Totals | undefined }) {
  const [rate, rateBefore] = [now ? errorRate(now) : null, before ? errorRate(before) : null];
  const [p95, p95Before] = [now?.p95 ?? null, before?.p95 ?? null];
  const loading = now === undefined;
  const then = (text: string | undefined) => <p className="min-h-4 text-2xs text-text-3">{before !== undefined && text !== undefined && `${text} in the time before`}</p>;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <StatTile label="Traces" value={formatCount(now?.traces)} delta={changeOf(now?.traces ?? null, before?.traces ?? null)} loading={loading}>{then(formatCount(before?.traces))}</StatTile>
      <StatTile label="Cost" value={formatMoney(now?.cost)} delta={changeOf(now?.cost ?? null, before?.cost ?? null)} loading={loading}>{then(formatMoney(before?.cost))}</StatTile>
      <StatTile label="Traces with errors" value={formatPercent(rate)} delta={pointsOf(rate, rateBefore)} deltaTone={toneOf(rate, rateBefore)} loading={loading}>{then(formatPercent(rateBefore))}</StatTile>
      <StatTile label="Latency of traces, p95" value={formatDuration(p95)} delta={changeOf(p95, p95Before)} deltaTone={toneOf(p95, p95Before)} loading={loading}>{then(formatDuration(p95Before))}</StatTile>
    </div>
  );
}
