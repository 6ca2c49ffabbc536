import { useNavigate, useParams } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useUrlState } from "@/shared/lib/useUrlState";
import { useMedia } from "@/shared/table/useMedia";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { turnsPerRead } from "./api";
import { SessionHeader } from "./SessionHeader";
import { sumsOf } from "./sums";
import { Transcript } from "./Transcript";
import { TurnList } from "./TurnList";
import { useSession } from "./useSession";

/** A session as a conversation: its turns with the pauses between them, and what was said. */
export function SessionPage() {
  const { sessionId } = useParams({ from: "/project/$projectId/sessions/$sessionId" });
  const { id: projectId } = useProject();
  const navigate = useNavigate();
  const [turn, setTurn] = useUrlState("turn");
  const wide = useMedia("(min-width: 900px)");
  const { rows, turns, scores, figuresOf, readMore } = useSession(sessionId);
  const current = turn === "" ? undefined : turn;
  const place = turns.findIndex(({ traceId }) => traceId === current);
  const step = (by: number) => setTurn(turns[Math.min(Math.max(place + by, 0), turns.length - 1)]?.traceId ?? "");
  useShortcuts("Session", [
    { keys: "j", label: "Next turn", run: () => step(1) },
    { keys: "k", label: "Previous turn", run: () => step(-1) },
    { keys: "enter", label: "Open the turn's trace", run: () => current !== undefined && void navigate({ to: "/project/$projectId/traces/$traceId", params: { projectId, traceId: current } }) },
  ]);
  if (turns.length === 0) {
    return (
      <>
        <PageHeader title={sessionId} documentTitle={`${sessionId} · Sessions`} />
        {rows.error !== null && <ErrorState error={rows.error} onRetry={() => void rows.refetch()} />}
        {rows.error === null && rows.isPending && <SkeletonRows rows={10} label="Loading the session" />}
        {rows.error === null && !rows.isPending && (
          <EmptyState icon={MessagesSquare} title="No trace belongs to this session" actions={<Button onClick={() => void navigate({ to: "/project/$projectId/sessions", params: { projectId } })}>All sessions</Button>}>
            Its traces may have been deleted, or be older than the project keeps data. Session ids are compared letter by letter.
          </EmptyState>
        )}
      </>
    );
  }
  const users = [...new Set((rows.data?.rows ?? []).flatMap(({ userId }) => userId || []))];
  const more = rows.data?.more === true;
  const parts = { turns, current, figuresOf };
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <SessionHeader sessionId={sessionId} sums={sumsOf(sessionId, turns, more, figuresOf)} users={users.slice(0, 3)} scores={scores} />
      {rows.error !== null && <ErrorState compact error={rows.error} onRetry={() => void rows.refetch()} />}
      {more && (
        <Banner tone="warn" className="m-2" actions={<Button busy={rows.isFetching} onClick={readMore}>Read {formatCount(turnsPerRead)} earlier</Button>}>
          {place < 0 && current !== undefined ? "The turn of this address is not among" : "These are"} the newest {formatCount(turns.length)} turns. Numbers count from the first of them.
        </Banner>
      )}
      {!more && place < 0 && current !== undefined && <Banner tone="warn" className="m-2">This session has no turn {current}; it may have been deleted.</Banner>}
      <div className="flex min-h-0 flex-1">
        {wide && <TurnList {...parts} />}
        <Transcript {...parts} />
      </div>
    </div>
  );
}
