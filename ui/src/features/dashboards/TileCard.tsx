import { useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { useProject } from "@/shared/api/project";
import type { Condition } from "@/shared/filter/condition";
import { cx } from "@/shared/lib/classes";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Skeleton } from "@/shared/ui/Skeleton";
import { SweepBar } from "@/shared/ui/SweepBar";
import { dimensions } from "./catalog";
import { conditionOn, rowsBehind } from "./drill";
import { conditionsFor, type Scope, type Tile, type TileQuery } from "./model";
import { TileChart } from "./TileChart";
import { TileMenu } from "./TileMenu";
import { useTile } from "./useTile";

const Markdown = lazy(async () => ({ default: (await import("@/shared/markdown/Markdown")).Markdown }));

export interface TileCardProps {
  tile: Tile;
  scope: Scope;
  /** The range goes on: the last bucket is not over yet. */
  open: boolean;
  /** Of the tile, in pixels. */
  height: number;
  dashboardId: string;
  onRange: (from: number, to: number) => void;
  /** In edit mode: what moves and changes the tile, in the place of the menu. */
  tools?: ReactNode;
}

/** A tile with its frame. What fails in it leaves the others alone. */
export function TileCard(props: TileCardProps) {
  const { tile, tools, height } = props;
  if (tile.query === undefined) {
    return (
      <Box height={height}>
        <div className="flex items-start gap-2">{tile.title !== "" && <h2 className="min-w-0 flex-1 truncate text-sm font-medium">{tile.title}</h2>}<span className="flex-1" />{tools}</div>
        <Suspense fallback={<Skeleton />}><div className="min-h-0 flex-1 overflow-auto text-sm"><Markdown text={tile.text ?? ""} /></div></Suspense>
      </Box>
    );
  }
  return <ChartCard {...props} query={tile.query} />;
}

function ChartCard({ tile, query, scope, open, height, dashboardId, onRange, tools }: TileCardProps & { query: TileQuery }) {
  const { id: projectId } = useProject();
  const navigate = useNavigate();
  const { foreign } = conditionsFor(query.view, scope.conditions);
  const answer = useTile(tile, query, scope);
  const title = tile.title || "Untitled";
  const actions = tools ?? <TileMenu tile={tile} query={query} scope={scope} dashboardId={dashboardId} />;
  const openRows = (more: readonly (Condition | undefined)[], time?: { from: number; to: number }) => {
    const rows = rowsBehind(query, answer.data?.scope ?? scope, more, time);
    if (rows !== undefined) void navigate({ to: `/project/$projectId/${rows.list}`, params: { projectId }, search: rows.search as never });
  };
  const listed = rowsBehind(query, scope, (query.dimensions ?? []).map(({ field }) => conditionOn(query.view, field, "any"))) !== undefined;
  const bad = foreign.length > 0 ? `Scores cannot be filtered by ${foreign.join(", ")}. Without it this tile shows again.` : undefined;
  return (
    <Box height={height} label={title}>
      {answer.isPlaceholderData && <SweepBar busy />}
      {bad === undefined && answer.data !== undefined && answer.error === null ? (
        <TileChart tile={tile} query={query} title={title} answer={answer.data} open={open} height={height - 64} actions={actions} openRows={listed ? openRows : undefined} onRange={onRange} headOf={(field) => dimensions[query.view][field] ?? field} />
      ) : (
        <>
          <div className="flex items-center gap-2"><h2 className="min-w-0 flex-1 truncate text-sm font-medium">{title}</h2>{actions}</div>
          {bad !== undefined && <p className="py-6 text-center text-xs text-text-2">{bad}</p>}
          {bad === undefined && answer.error !== null && <ErrorState compact error={answer.error} onRetry={() => void answer.refetch()} />}
          {bad === undefined && answer.error === null && <div role="status" aria-label={`Loading ${title}`} className="min-h-0 flex-1 pt-2"><Skeleton className="h-full" /></div>}
        </>
      )}
    </Box>
  );
}

function Box({ label, height, children }: { label?: string; height: number; children: ReactNode }) {
  return <section aria-label={label} className={cx("relative flex h-full min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-raised px-4 py-2")} style={{ minHeight: height }}>{children}</section>;
}
