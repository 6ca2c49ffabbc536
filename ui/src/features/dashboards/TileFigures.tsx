import { BarList } from "@/shared/ui/BarList";
import { ChartFrame, FigureTable } from "@/shared/ui/ChartFrame";
import { formatOf, labelOf } from "./catalog";
import { conditionOn } from "./drill";
import { nameOf, pivotOf, valueOf } from "./series";
import { Nothing, shownOf, type TileChartProps } from "./TileParts";

/** One number, and the rows behind it. */
export function NumberTile({ query, title, answer, actions, openRows }: TileChartProps) {
  const metric = query.metrics[0]!;
  const text = formatOf(query.view, metric)(valueOf(answer.rows[0], metric));
  return (
    <>
      <div className="flex items-center gap-2"><h2 className="min-w-0 flex-1 truncate text-xs text-text-2">{title}</h2>{actions}</div>
      {openRows === undefined ? <p className="text-2xl font-semibold">{text}</p> : (
        <button type="button" className="min-h-8 self-start text-2xl font-semibold hover:underline" aria-label={`${title}: ${text}. Show the rows`} onClick={() => openRows([])}>{text}</button>
      )}
    </>
  );
}

const barHeight = 30;

/** A bar for each of the first values. */
export function BarTile({ query, title, answer, height, actions, openRows, headOf }: TileChartProps) {
  const metric = query.metrics[0]!;
  const dimension = query.dimensions![0]!.field;
  const format = formatOf(query.view, metric);
  const all = answer.rows.filter((row) => (valueOf(row, metric) ?? 0) > 0);
  const bars = all.slice(0, Math.max(3, Math.floor(height / barHeight)));
  if (bars.length === 0) return <Nothing title={title} actions={actions} />;
  const textOf = (row: (typeof bars)[number]) => format(valueOf(row, metric));
  const onRow = openRows && ((index: number) => openRows([conditionOn(query.view, dimension, all[index]?.[dimension])]));
  return (
    <ChartFrame
      title={title} note={shownOf(bars.length, all.length, "values")} height={height} actions={actions} summary={`Most: ${bars.slice(0, 3).map((row) => `${nameOf(row[dimension])} ${textOf(row)}`).join(", ")}`}
      table={<FigureTable head={headOf(dimension)} columns={[labelOf(query.view, metric)]} rows={all.map((row) => ({ key: nameOf(row[dimension]), label: nameOf(row[dimension]), cells: [textOf(row)] }))} onPoint={onRow} />}
    >
      <BarList label={title} bars={bars.map((row, index) => ({ key: String(index), label: nameOf(row[dimension]), value: valueOf(row, metric) ?? 0, text: textOf(row) }))} onSelect={onRow && ((key) => onRow(Number(key)))} />
    </ChartFrame>
  );
}

/** Figures by one or two dimensions. */
export function TableTile({ query, title, answer, height, actions, openRows, headOf }: TileChartProps) {
  const pivot = pivotOf(query.view, query, answer.rows, headOf);
  const fields = (query.dimensions ?? []).map(({ field }) => field);
  if (pivot.rows.length === 0) return <Nothing title={title} actions={actions} />;
  const onPoint = openRows && ((row: number, column: number) => {
    const across = pivot.columns[column]?.value;
    const values = [...(pivot.rows[row]?.values ?? []), ...(across === undefined ? [] : [across])];
    openRows(values.map((value, index) => conditionOn(query.view, fields[index]!, value)));
  });
  const rows = pivot.rows.map(({ cells, ...row }) => ({ ...row, cells: cells.map((cell, index) => formatOf(query.view, pivot.columns[index]!.metric)(cell)) }));
  return (
    <>
      <div className="flex items-center gap-2"><h2 className="min-w-0 flex-1 truncate text-sm font-medium">{title}</h2>{actions}</div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <section className="overflow-auto" style={{ height }} tabIndex={0} aria-label={`${title}, table`}>
        <FigureTable head={pivot.head} columns={pivot.columns.map(({ label }) => label)} rows={rows} onPoint={onPoint} />
      </section>
    </>
  );
}
