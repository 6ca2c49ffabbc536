import type { UserActivity } from "@/shared/activity/api";
import { formatCount, formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { StatTile } from "@/shared/ui/StatTile";

/** What a user's observations add up to. */
export function UserFigures({ figures }: { figures: UserActivity | undefined }) {
  const loading = figures === undefined;
  const small = "min-h-4 text-2xs text-text-3";
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <StatTile label="Traces" value={formatCount(figures?.traces)} loading={loading}><p className={small}>{figures && <>{formatCount(figures.observations)} observations, {formatCount(figures.sessions)} sessions</>}</p></StatTile>
      <StatTile label="Cost" value={formatMoney(figures?.totalCost)} loading={loading}><p className={small}>{figures && figures.traces > 0 && <>{formatMoney((figures.totalCost / figures.traces).toFixed(6))} a trace</>}</p></StatTile>
      <StatTile label="Tokens" value={formatTokens(figures?.totalTokens)} loading={loading}><p className={small}>{figures && <>{formatTokens(figures.inputTokens)} in, {formatTokens(figures.outputTokens)} out</>}</p></StatTile>
      <StatTile label="Errors" value={formatCount(figures?.errors)} loading={loading}><p className={small}>{figures && <>first seen <RelativeTime value={figures.firstSeen} />, last <RelativeTime value={figures.lastSeen} /></>}</p></StatTile>
    </div>
  );
}
