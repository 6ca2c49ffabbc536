import { Chart } from "@/shared/ui/Chart";
import { HeatMap } from "@/shared/ui/HeatMap";
import { type Bin, Histogram } from "@/shared/ui/Histogram";
import { formatOf } from "./catalog";
import { conditionOn, conditionOnRest } from "./drill";
import { mostRows, type TileQuery } from "./model";
import { coursesOf, noteOf } from "./series";
import { BarTile, NumberTile, TableTile } from "./TileFigures";
import { Nothing, type TileChartProps } from "./TileParts";
import type { TileAnswer } from "./useTile";

/** The answer of a tile in the way of its kind. */
export function TileChart(props: TileChartProps) {
  const { tile, query, title, answer, height, actions, openRows } = props;
  switch (tile.kind) {
    case "number":
      return <NumberTile {...props} />;
    case "bar-list":
      return <BarTile {...props} />;
    case "table":
      return <TableTile {...props} />;
    case "histogram": {
      const format = formatOf(query.view, query.metrics[0]);
      const bins = binsOf(answer);
      if (bins.length === 0) return <Nothing title={title} actions={actions} />;
      return <Histogram title={title} bins={bins} format={format} height={height} actions={actions} onBin={openRows && binFilter(query, openRows)} />;
    }
    default:
      return <OverTime {...props} />;
  }
}

function OverTime({ tile, query, title, answer, open, height, actions, openRows, onRange }: TileChartProps) {
  const dimension = query.dimensions?.[0]?.field;
  const { rows, times, scope } = answer;
  const courses = coursesOf(query, times, rows);
  const format = formatOf(query.view, query.metrics[0]);
  const ends = [...times.slice(1).map((time) => time * 1000), Date.parse(scope.to)];
  const onPoint = openRows && ((series: number, bucket: number) => {
    const value = courses.series[series]?.value;
    const own = courses.series.filter((one) => one.value !== undefined).map((one) => one.value);
    const more = dimension === undefined ? [] : [value === undefined ? conditionOnRest(query.view, dimension, own) : conditionOn(query.view, dimension, value)];
    openRows(more, { from: times[bucket]! * 1000, to: ends[bucket]! });
  });
  const note = noteOf(courses, dimension, rows.length === mostRows);
  const legendRoom = courses.series.length > 4 ? 56 : courses.series.length > 1 ? 28 : 0;
  if (courses.series.length === 0) return <Nothing title={title} actions={actions} />;
  if (tile.kind === "heat-map") return <HeatMap title={title} note={note} times={times} series={courses.series} format={format} height={height - 12} actions={actions} onPoint={onPoint} />;
  const stacked = tile.kind !== "line" && dimension !== undefined;
  return (
    <Chart
      title={title} note={note} kind={tile.kind === "bars" ? "bars" : tile.kind === "area" ? "area" : "line"} stacked={stacked} times={times} series={courses.series} format={format}
      height={Math.max(60, height - legendRoom)} partialLast={open} actions={actions} onPoint={onPoint} onSelectRange={(from, to) => onRange(from * 1000, to * 1000)}
    />
  );
}

function binsOf({ rows }: TileAnswer): Bin[] {
  const triples = Object.values(rows[0] ?? {}).find(Array.isArray) as [number, number, number][] | undefined;
  return (triples ?? []).map(([lower, upper, height]) => ({ lower, upper, height }));
}

/** Latencies are milliseconds in metrics and seconds in lists. */
function binFilter({ metrics, dimensions }: TileQuery, openRows: NonNullable<TileChartProps["openRows"]>): ((bin: Bin) => void) | undefined {
  const measure = metrics[0]!.measure;
  if ((dimensions ?? []).length > 0 || measure === "streamingLatency") return undefined;
  const unit = measure === "latency" || measure === "timeToFirstToken" ? 1000 : 1;
  return ({ lower, upper }) => openRows([{ type: "number", column: measure, operator: ">=", value: lower / unit }, { type: "number", column: measure, operator: "<=", value: upper / unit }]);
}
