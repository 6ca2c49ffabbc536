import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft, ArrowRight, Hourglass, Inbox, PartyPopper, Undo2 } from "lucide-react";
import { usePeople } from "@/shared/api/people";
import { allows, useProject } from "@/shared/api/project";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { Banner } from "@/shared/ui/Banner";
import { Button, buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { ProgressBar } from "@/shared/ui/ProgressBar";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { allConfigsQuery, progressQuery, type Queue, queueQuery, type QueueItem, type Review, type ScoreConfig } from "./api";
import { ObservationContent, SessionContent, TraceContent } from "./Content";
import { readDraft, targetOf } from "./draft";
import { ReviewForm } from "./ReviewForm";
import { useOutput } from "./useOutput";
import { type ReviewState, useReview } from "./useReview";

/** One item of a queue at a time: what it is on the left, the scores that the queue asks for on the right. */
export function ReviewPage() {
  const project = useProject();
  const { queueId = "" } = useParams({ strict: false });
  const queue = useQuery(queueQuery(project, queueId));
  const configs = useQuery(allConfigsQuery(project));
  const error = queue.error ?? configs.error;
  const mayReview = allows(project.role, "MEMBER");
  if (error !== null || !mayReview || queue.data === undefined || configs.data === undefined) {
    return (
      <div className="flex h-full flex-col">
        <PageHeader title={queue.data?.name ?? "Annotate"} />
        {error !== null && <ErrorState error={error} onRetry={() => (void queue.refetch(), void configs.refetch())} />}
        {error === null && !mayReview && <EmptyState title="Reviewing needs the role MEMBER">You are {project.role} in this project. Ask an owner or admin for another role.</EmptyState>}
        {error === null && mayReview && <SkeletonRows rows={10} label="Loading the queue" />}
      </div>
    );
  }
  return <Reviewing queue={queue.data} configs={asked(queue.data, configs.data)} />;
}

/** The configs that a queue asks for, in its order, without those that take no scores any more. */
const asked = ({ scoreConfigIds }: Queue, configs: readonly ScoreConfig[]) => scoreConfigIds.flatMap((id) => configs.filter((config) => config.id === id && !config.isArchived));

function Reviewing({ queue, configs }: { queue: Queue; configs: readonly ScoreConfig[] }) {
  const project = useProject();
  const state = useReview(queue.id);
  const { data: progress } = useQuery(progressQuery(project, queue.id));
  const nameOf = usePeople();
  const others = progress?.locks.filter(({ mine }) => !mine) ?? [];
  const { review, item, last, undo, move } = state;
  useShortcuts("Annotate", last === null ? [] : [{ keys: "u", label: "Undo the last completion", run: () => undo.mutate(last) }]);
  const skip = { disabled: item === null || move.isPending };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title={queue.name}
        actions={
          <>
            {last !== null && <Button icon={Undo2} busy={undo.isPending} onClick={() => undo.mutate(last)}>Undo completion</Button>}
            <IconButton icon={ArrowLeft} label="Back to the item before" keys="arrowleft" {...skip} onClick={() => move.mutate("previous")} />
            <IconButton icon={ArrowRight} label="Skip to the next item" keys="arrowright" {...skip} onClick={() => move.mutate("next")} />
          </>
        }
      >
        {progress !== undefined && progress.completed + progress.pending > 0 && <div className="w-44"><ProgressBar label="Reviewed" done={progress.completed} total={progress.completed + progress.pending} /></div>}
        {others.length > 0 && <span className="min-w-0 truncate text-xs text-text-2">Also reviewing: {others.map(({ userId }) => nameOf(userId)).join(", ")}</span>}
      </PageHeader>
      {undo.error !== null && <ErrorState error={undo.error} compact />}
      {review.error !== null && <ErrorState error={review.error} onRetry={() => void review.refetch()} />}
      {review.isPending && <SkeletonRows rows={10} label="Taking the next item" />}
      {review.data !== undefined && item === null && <AllDone queue={queue} done={progress?.completed ?? 0} others={progress?.pending ?? 0} busy={review.isFetching} onRetry={() => void review.refetch()} />}
      {review.data !== undefined && item !== null && <Item key={item.id} state={state} item={item} review={review.data} configs={configs} />}
    </div>
  );
}

interface AllDoneProps {
  queue: Queue;
  /** Items that are reviewed. */
  done: number;
  /** Items that others have. */
  others: number;
  busy: boolean;
  onRetry: () => void;
}

function AllDone({ queue, done, others, busy, onRetry }: AllDoneProps) {
  const { id: projectId } = useProject();
  const toQueues = <Link to="/project/$projectId/annotate" params={{ projectId }} className={buttonClass(others > 0 ? "secondary" : "primary")}>To all queues</Link>;
  const [icon, title] = others > 0 ? [Hourglass, "Nothing is left for you right now"] : done > 0 ? [PartyPopper, `Everything in ${queue.name} is reviewed`] : [Inbox, `Nothing is in ${queue.name} yet`];
  return (
    <EmptyState icon={icon} title={title} actions={<>{others > 0 && <Button variant="primary" busy={busy} onClick={onRetry}>Look again</Button>}{toQueues}</>}>
      {others > 0 ? `Others are reviewing the last ${others}. What they leave comes back after two minutes.` : "Add traces, observations or sessions to it from their pages."}
    </EmptyState>
  );
}

function Item({ state, item, review, configs }: { state: ReviewState; item: QueueItem; review: Review; configs: readonly ScoreConfig[] }) {
  const { traceId, pending, error, output } = useOutput(item);
  return (
    <div className="grid min-h-0 flex-1 overflow-auto lg:grid-cols-[minmax(0,1fr)_400px] lg:overflow-hidden">
      <section aria-label="What is reviewed" className="min-w-0 p-4 lg:overflow-auto">
        {error !== null && <ErrorState error={error} />}
        {item.objectType === "TRACE" && <TraceContent traceId={item.objectId} />}
        {item.objectType === "SESSION" && <SessionContent sessionId={item.objectId} />}
        {item.objectType === "OBSERVATION" && (pending ? <SkeletonRows rows={8} label="Loading the observation" /> : error === null && <ObservationContent traceId={traceId} observationId={item.objectId} />)}
      </section>
      <section aria-label="Your review" className="flex min-w-0 flex-col gap-3 border-line p-4 max-lg:border-t lg:overflow-auto lg:border-l">
        <Standing state={state} item={item} review={review} configs={configs} />
        {configs.length === 0 && <Banner tone="warn">All score configs of this queue are archived. Edit the queue to ask for others.</Banner>}
        <ReviewForm state={state} item={item} configs={configs} initial={readDraft(review.draft)} target={targetOf(item, traceId)} output={output} />
      </section>
    </div>
  );
}

/** Why the form cannot be filled in, and what to do about it. */
function Standing({ state, item, review: { lock, completedByUserId }, configs }: { state: ReviewState; item: QueueItem; review: Review; configs: readonly ScoreConfig[] }) {
  const nameOf = usePeople();
  if (item.status === "COMPLETED") {
    const byMe = completedByUserId === state.userId;
    return (
      <Banner tone="info">
        Reviewed by {completedByUserId === null ? "somebody" : byMe ? "you" : nameOf(completedByUserId)}.
        {byMe && <> <Button busy={state.undo.isPending} onClick={() => state.reopen(configs)}>Review it again</Button></>}
      </Banner>
    );
  }
  if (lock?.mine === true) return null;
  return (
    <Banner tone="warn">
      {lock === null ? "You do not hold this item any more: your lock ended while nobody answered." : `${nameOf(lock.userId)} is reviewing this item.`}{" "}
      <Button onClick={() => void state.review.refetch()}>{lock === null ? "Take it again" : "Try again"}</Button>
    </Banner>
  );
}
