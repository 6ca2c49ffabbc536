import { formatCount, formatDuration, none } from "@/shared/lib/format";
import { Banner } from "@/shared/ui/Banner";
import { StatTile } from "@/shared/ui/StatTile";
import type { IngestRequests } from "./api";
import { isRefused } from "./requests";

/** Behind this, what was sent is not on screen yet when people look for it. */
const lateSeconds = 30;

/** How far storing is behind what was accepted. */
export function QueueTiles({ requests, loading }: { requests: IngestRequests | undefined; loading: boolean }) {
  const queue = requests?.queue;
  const letters = queue?.deadLetters ?? null;
  return (
    <>
      {queue === null && <Banner tone="warn">The ingest log does not answer, so how far storing is behind is not known. Try again in a moment; when it stays, tell the operator.</Banner>}
      {queue !== undefined && queue !== null && queue.lagSeconds > lateSeconds && (
        <Banner tone="warn">Storing is {formatDuration(queue.lagSeconds * 1000)} behind: what was sent since then is safe, but not on screen yet.</Banner>
      )}
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <StatTile label="Behind" value={queue ? (queue.pendingRecords === 0 ? "Up to date" : formatDuration(queue.lagSeconds * 1000)) : none} loading={loading} />
        <StatTile label="Waiting to be stored, all projects" value={formatCount(queue?.pendingRecords)} loading={loading} />
        <StatTile label="Refused, of the latest requests" value={formatCount(requests?.data.filter(isRefused).length)} loading={loading} />
        <StatTile label="Dead letters" value={letters === null ? none : `${formatCount(letters)}${queue?.deadLettersMore ? "+" : ""}`} loading={loading} />
      </div>
    </>
  );
}
