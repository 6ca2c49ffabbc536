import { formatCount, formatPercent } from "@/shared/lib/format";
import { BarList } from "@/shared/ui/BarList";
import { Panel } from "@/shared/ui/Panel";
import type { ScoreSide } from "../api";
import { formatFigure } from "./words";

/** How often a score has which value: columns for numbers, bars for categories. */
export function Distribution({ title, side }: { title: string; side: ScoreSide }) {
  const { count, mean, median, min, max, distribution } = side;
  const facts = mean === null || side.dataType !== "NUMERIC" ? `${formatCount(count)} scores` : `${formatCount(count)} scores · mean ${formatFigure(mean)} · median ${formatFigure(median)} · from ${formatFigure(min)} to ${formatFigure(max)}`;
  return (
    <Panel title={`Distribution: ${title}`}>
      <div className="flex flex-col gap-2 px-4 pt-1 pb-4">
        <p className="text-xs text-text-2">{facts}</p>
        {side.dataType === "NUMERIC" ? <Columns title={title} distribution={distribution} /> : (
          <BarList
            label={`Distribution of ${title}`}
            bars={distribution.map(({ label, count: n }) => ({ key: label, label: side.dataType === "BOOLEAN" ? (label === "True" ? "Yes" : "No") : label || "(empty)", value: n, text: `${formatCount(n)} · ${formatPercent(n / count)}` }))}
          />
        )}
      </div>
    </Panel>
  );
}

function Columns({ title, distribution }: { title: string; distribution: ScoreSide["distribution"] }) {
  const largest = Math.max(...distribution.map(({ count }) => count), 1);
  return (
    <figure>
      <div aria-hidden className="flex h-36 items-end gap-px border-b border-line-strong">
        {distribution.map(({ label, count }) => (
          <div key={label} title={`${label}: ${formatCount(count)}`} className="min-w-0 flex-1 rounded-t-sm bg-accent" style={{ height: `${(count / largest) * 100}%` }} />
        ))}
      </div>
      <div aria-hidden className="flex justify-between pt-1 text-2xs text-text-3 tabular-nums">
        <span>{formatFigure(distribution[0]?.from ?? null)}</span>
        <span>{formatFigure(distribution.at(-1)?.to ?? null)}</span>
      </div>
      <table className="sr-only">
        <caption>Distribution of {title}</caption>
        <thead><tr><th scope="col">Values</th><th scope="col">Scores</th></tr></thead>
        <tbody>{distribution.map(({ label, count }) => <tr key={label}><th scope="row">{label}</th><td>{count}</td></tr>)}</tbody>
      </table>
    </figure>
  );
}
