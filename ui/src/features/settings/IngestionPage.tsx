import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { useCallback, useMemo } from "react";
import { useProject } from "@/shared/api/project";
import type { NewsName } from "@/shared/api/news";
import { useNews } from "@/shared/api/useNews";
import { formatCount } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Banner } from "@/shared/ui/Banner";
import { buttonClass, Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { SweepBar } from "@/shared/ui/SweepBar";
import { Switch } from "@/shared/ui/Switch";
import { type IngestRequests, requestsQuery } from "./ingestion/api";
import { DeadLetters } from "./ingestion/DeadLetters";
import { QueueTiles } from "./ingestion/QueueTiles";
import { isRefused, withKeys } from "./ingestion/requests";
import { RequestTable } from "./ingestion/RequestTable";
import { Section } from "./Section";

const news: readonly NewsName[] = ["ready", "ingest.key_seen", "ingest.accepted", "ingest.rejected", "row.new"];

const waitingMs = 5000;

/** What the project's applications sent a moment ago, what was refused and why, and how far storing is behind. */
export function IngestionPage() {
  const project = useProject();
  const queries = useQueryClient();
  const [live, setLive] = useUrlState("live", "on");
  const { data, error, isFetching, isPending, refetch } = useQuery({
    ...requestsQuery(project),
    // While something waits, its age grows without any news.
    refetchInterval: ({ state }) => (live === "on" && state.data?.queue?.pendingRecords ? waitingMs : false),
  });
  const { id } = project;
  const refresh = useCallback(() => void queries.invalidateQueries({ queryKey: ["ingest-requests", id] }), [queries, id]);
  useNews(id, news, refresh, live === "on");
  return (
    <div className="flex max-w-6xl flex-col gap-4">
      <div role="group" aria-label="State of the ingest log" className="flex flex-col gap-3"><QueueTiles requests={data} loading={isPending} /></div>
      <DeadLetters />
      {data !== undefined && data.unknownKeys.length > 0 && <UnknownKeys keys={data.unknownKeys} />}
      <Section
        title="Latest requests" description="What applications sent, and what became of it. The newest 200 are remembered until the server restarts."
        actions={
          <div className="flex items-center gap-2">
            <Switch checked={live === "on"} onChange={(on) => setLive(on ? "on" : "off")}>Live</Switch>
            <IconButton icon={RotateCw} label="Refresh" onClick={() => void refetch()} />
          </div>
        }
      >
        {error !== null && data !== undefined && <Banner tone="danger">The newest requests could not be read. What you see was read before.</Banner>}
        {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact />}
        {isPending && <SkeletonRows rows={10} label="Loading requests" />}
        {data !== undefined && <Requests requests={data} busy={isFetching} />}
      </Section>
    </div>
  );
}

const shows = [{ value: "all", label: "All" }, { value: "refused", label: "Refused" }] as const;
type Show = (typeof shows)[number]["value"];

function Requests({ requests: { data, nodes }, busy }: { requests: IngestRequests; busy: boolean }) {
  const { id } = useProject();
  const [show, setShow] = useUrlState("show", "all");
  const all = useMemo(() => withKeys(data), [data]);
  const shown = show === "refused" ? all.filter(isRefused) : all;
  if (all.length === 0) {
    return (
      <EmptyState title="Nothing was sent yet" actions={<Link to="/project/$projectId/setup" params={{ projectId: id }} className={buttonClass("primary")}>Send a first trace</Link>}>
        The server has heard of no request since it started. Requests appear here the moment they arrive, also those that are refused.
      </EmptyState>
    );
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 text-xs text-text-2">
        <SegmentedControl label="Which requests" value={show as Show} onChange={setShow} segments={shows} />
        <span>{formatCount(shown.length)} of {formatCount(all.length)} requests{nodes > 1 && `, from ${nodes} nodes`}</span>
      </div>
      <SweepBar busy={busy} />
      {shown.length > 0 ? <RequestTable requests={shown} /> : (
        <EmptyState title="Nothing was refused" actions={<Button onClick={() => setShow("all")}>Show all requests</Button>}>All of the last {formatCount(all.length)} requests were taken.</EmptyState>
      )}
    </>
  );
}

/** Requests that belong to no project, as nobody has their key. Only who runs the installation sees them. */
function UnknownKeys({ keys }: { keys: IngestRequests["unknownKeys"] }) {
  return (
    <Section title="Unknown keys" description="These requests came with a public key that nobody has. Was it deleted, or is it of another server?">
      <ul className="divide-y divide-line border-y border-line text-xs">
        {keys.map(({ at, publicKeyPrefix, path, count }) => (
          <li key={`${publicKeyPrefix} ${path}`} className="flex flex-wrap gap-x-4 gap-y-1 px-2 py-1.5">
            <code className="font-mono">{publicKeyPrefix}…</code><span className="min-w-0 font-mono text-2xs break-all text-text-2">{path}</span>
            <span className="text-text-2">{formatCount(count)} {count === 1 ? "request" : "requests"}, the last <RelativeTime value={at} /></span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
