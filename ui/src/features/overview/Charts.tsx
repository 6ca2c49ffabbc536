import { useNavigate } from "@tanstack/react-router";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode } from "react";
import { useProject } from "@/shared/api/project";
import { printCondition } from "@/shared/filter/print";
import { formatCount, formatDuration, formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { BarList } from "@/shared/ui/BarList";
import { Chart, type ChartSeries } from "@/shared/ui/Chart";
import { Panel } from "@/shared/ui/Panel";
import type { useOverview } from "./useOverview";

export interface ChartsProps {
  data: ReturnType<typeof useOverview>;
  /** The range goes on: the last bucket is not over yet. */
  open: boolean;
  /** As it stands in the address, for links to lists of the same time. */
  rangeText: string | undefined;
  env: string;
  onRange: (from: number, to: number) => void;
}

/** How many rows a list of bars shows. */
const topRows = 8;

/** Six ways to look at a time: four courses and two rankings. A stretch that is dragged over becomes the range. */
export function Charts({ data, open, rangeText, env, onRange }: ChartsProps) {
  const { id: projectId } = useProject();
  const navigate = useNavigate();
  const common = { onSelectRange: (from: number, to: number) => onRange(from * 1000, to * 1000), partialLast: open };
  const money = (value: number | null) => formatMoney(value === null ? null : shortNumber(value));
  const showErrors = (name: string) => {
    const q = ["level:ERROR", printCondition({ type: "string", column: "name", operator: "=", value: name }), env !== "" && printCondition({ type: "stringOptions", column: "environment", operator: "any of", value: [env] })];
    void navigate({ to: "/project/$projectId/observations", params: { projectId }, search: { q: q.filter(Boolean).join(" "), range: rangeText } as never });
  };
  const names = data.errorNames.data ?? [];
  const users = data.users.data?.list.filter(({ totalCost }) => totalCost > 0) ?? [];
  return (
    <div className="grid gap-3 lg:grid-cols-2 xl:grid-cols-3">
      <Box query={data.levels}>{({ times, series }) => <Chart title="Traces by level of their root" kind="bars" stacked times={times} series={series} format={formatCount} {...common} />}</Box>
      <Box query={data.costs}>
        {({ times, series, models, cut }) => <Chart title={costTitle(series, models, cut)} kind="bars" stacked times={times} series={series} format={money} {...common} />}
      </Box>
      <Box query={data.courses}>{({ times, tokens }) => <Chart title="Tokens" kind="bars" stacked times={times} series={tokens} format={formatTokens} {...common} />}</Box>
      <Box query={data.courses}>{({ times, latency }) => <Chart title="Latency of traces" height={200} times={times} series={latency} format={formatDuration} {...common} />}</Box>
      <Panel title="Errors by name" aside={names.length > topRows ? `${topRows} of ${formatCount(names.length)} names` : undefined} error={data.errorNames.error} onRetry={() => void data.errorNames.refetch()} pending={data.errorNames.isPending}>
        <Ranking empty="No errors in this time.">
          {names.length > 0 && <BarList label="Errors by name" bars={names.slice(0, topRows).map(({ name, count }) => ({ key: name, label: name || "(no name)", value: count, text: formatCount(count) }))} onSelect={showErrors} />}
        </Ranking>
      </Panel>
      <Panel title="Users by cost" aside={(data.users.data?.total ?? 0) > users.length ? `${users.length} of ${formatCount(data.users.data?.total)} users` : undefined} error={data.users.error} onRetry={() => void data.users.refetch()} pending={data.users.isPending}>
        <Ranking empty="No user caused costs in this time.">
          {users.length > 0 && (
            <BarList label="Users by cost" bars={users.map(({ id, totalCost }) => ({ key: id, label: id, value: totalCost, text: formatMoney(totalCost) }))} onSelect={(userId) => void navigate({ to: "/project/$projectId/users/$userId", params: { projectId, userId }, search: { range: rangeText ?? "24h" } as never })} />
          )}
        </Ranking>
      </Panel>
    </div>
  );
}

/** Sums of floats have digits that nobody wrote. */
const shortNumber = (value: number) => Number(value.toPrecision(12));

function costTitle(series: readonly ChartSeries[], models: number, cut: boolean): string {
  const own = series.filter(({ color }) => color === undefined).length;
  return ["Cost by model", own < models && `the top ${own} of ${formatCount(models)}`, cut && "smallest amounts left out"].filter(Boolean).join(", ");
}

function Box<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  return (
    <Panel error={query.data === undefined ? query.error : null} onRetry={() => void query.refetch()} pending={query.isPending} className="min-h-60">
      <div className="px-4 py-2">{query.data !== undefined && children(query.data)}</div>
    </Panel>
  );
}

function Ranking({ empty, children }: { empty: string; children: ReactNode }) {
  return <div className="px-2 pb-2">{children || <p className="px-2 py-6 text-center text-xs text-text-3">{empty}</p>}</div>;
}
