import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { useProject } from "@/shared/api/project";
import { useSession } from "@/shared/api/session";
import { useUrlState } from "@/shared/lib/useUrlState";
import { completeItem, isConflict, letGo, type QueueItem, reopenItem, type Review, saveDraft, type ScoreConfig, takeItem, takeNext } from "./api";
import { type ReviewDraft, scoreId, scoresOf, type Target } from "./draft";

/** A lock ends after two minutes; it is renewed long before. */
const renewMs = 30_000;

const idIn = ({ item }: Review) => item?.id ?? "";

/** One item at a time: the address names it, the server holds it for whoever looks at it. */
export function useReview(queueId: string) {
  const project = useProject();
  const userId = useSession().user?.id ?? "";
  const queries = useQueryClient();
  const [itemId, setItem] = useUrlState("item", "", { push: true });
  const [, nameItem] = useUrlState("item"); // what the server chose is no step of its own: "back" leaves the queue
  const taken = useRef<Review | null>(null); // what the next address shows
  const unsaved = useRef<{ itemId: string; draft: ReviewDraft } | null>(null);
  const onNoted = useCallback((noted: string, draft: ReviewDraft) => {
    unsaved.current = { itemId: noted, draft };
  }, []);
  const onKept = useCallback((draft: ReviewDraft) => {
    if (unsaved.current?.draft === draft) unsaved.current = null;
  }, []);
  const [last, setLast] = useState<{ item: QueueItem; scoreIds: string[] } | null>(null);
  const keyOf = (id: string) => ["annotation-review", project.id, queueId, id];
  const review = useQuery({
    queryKey: keyOf(itemId),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0, // who comes back takes it anew, with what was noted meanwhile
    retry: false,
    queryFn: () => {
      const next = taken.current;
      taken.current = null;
      if (next !== null && idIn(next) === itemId) return next;
      return itemId === "" ? takeNext(project, queueId) : takeItem(project, queueId, itemId);
    },
  });
  const item = review.data?.item ?? null;
  const mine = review.data?.lock?.mine === true;
  /** Before the item is left: nothing of it can be saved once it is let go. What another has by now is theirs. */
  const flush = async (keepalive = false) => {
    const noted = unsaved.current;
    if (noted === null) return;
    await saveDraft(project, queueId, noted.itemId, noted.draft, keepalive).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
    unsaved.current = null;
  };
  useLeaving({
    onHide: () => void flush(true).catch(() => undefined), // nobody is there any more to be told
    onLeave: () => mine && item !== null && void flush().then(() => letGo(project, queueId, item.id)).catch(() => undefined),
  });
  const show = (next: Review) => {
    unsaved.current = null;
    if (idIn(next) === itemId) queries.setQueryData(keyOf(itemId), next);
    else {
      taken.current = next;
      setItem(idIn(next));
    }
    void queries.invalidateQueries({ queryKey: ["annotation-progress", project.id, queueId] });
  };
  // The address names what the server chose, so that a link and a reload show the same.
  const chosen = itemId === "" ? review.data : undefined;
  useEffect(() => {
    if (!chosen?.item) return;
    taken.current = chosen;
    nameItem(chosen.item.id);
  }, [chosen, nameItem]);
  useQuery({
    queryKey: ["annotation-lock", project.id, queueId, item?.id],
    enabled: mine && item !== null,
    refetchInterval: renewMs, refetchIntervalInBackground: true, initialData: true, staleTime: renewMs, gcTime: 0, retry: false,
    queryFn: async () => {
      const held = await takeItem(project, queueId, item!.id);
      if (held.lock?.mine !== true) queries.setQueryData(keyOf(item!.id), held); // lost: the page says so
      return true;
    },
  });
  const move = useMutation({
    mutationFn: async (direction: "next" | "previous") => {
      await flush();
      return takeNext(project, queueId, item === null ? undefined : { itemId: item.id, direction });
    },
    onSuccess: show,
  });
  const complete = useMutation({
    mutationFn: async ({ draft, configs, target }: { draft: ReviewDraft; configs: readonly ScoreConfig[]; target: Target }) => {
      const scores = scoresOf(draft, configs, item!, target, userId);
      await saveDraft(project, queueId, item!.id, draft); // also renews the lock, or says that it is lost
      const { data } = await project.api.POST("/api/public/scores", { body: scores });
      if (data !== undefined && "errors" in data) throw new Error(data.errors.map(({ message }) => message).join(" "));
      await completeItem(project, queueId, item!.id);
      setLast({ item: item!, scoreIds: scores.map(({ id }) => id) });
      return takeNext(project, queueId, { itemId: item!.id, direction: "next" });
    },
    onSuccess: show,
    onError: (error) => isConflict(error) && void review.refetch(),
  });
  const undo = useMutation({
    mutationFn: async ({ item: done, scoreIds }: { item: QueueItem; scoreIds: string[] }) => {
      await flush();
      const reopened = await reopenItem(project, queueId, done.id);
      await Promise.all(scoreIds.map((id) => project.api.DELETE("/api/public/scores/{scoreId}", { params: { path: { scoreId: id } } })));
      return reopened;
    },
    onSuccess: (reopened) => (setLast(null), show(reopened)),
  });
  const reopen = (configs: readonly ScoreConfig[]) => item !== null && undo.mutate({ item, scoreIds: [...configs.map(({ id }) => id), "output"].map((what) => scoreId(item.id, userId, what)) });
  return { itemId, item, review, mine, userId, onNoted, onKept, move, complete, undo, last, reopen };
}

/** Tells when the page is hidden for good, as by a reload, and when somebody goes on to another page. */
function useLeaving({ onHide, onLeave }: { onHide: () => void; onLeave: () => void }): void {
  const hide = useEffectEvent(onHide);
  const leave = useEffectEvent(onLeave);
  useEffect(() => {
    const listener = () => hide();
    addEventListener("pagehide", listener);
    return () => {
      removeEventListener("pagehide", listener);
      leave();
    };
  }, []);
}

export type ReviewState = ReturnType<typeof useReview>;
