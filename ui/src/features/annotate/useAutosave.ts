import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { useProject } from "@/shared/api/project";
import { isConflict, type QueueItem, saveDraft } from "./api";
import type { ReviewDraft } from "./draft";

const restMs = 600;

export type SaveState = "saved" | "saving" | "failed" | "untouched";

interface Autosave {
  enabled: boolean;
  /** There is a draft that the server does not have. */
  onNoted: (itemId: string, draft: ReviewDraft) => void;
  /** The server has it. */
  onKept: (draft: ReviewDraft) => void;
  /** Somebody else has the item by now. */
  onLost: () => void;
}

/** Keeps a draft on the server whenever somebody pauses, so that a reload or another machine has it. */
export function useAutosave({ queueId, id }: QueueItem, draft: ReviewDraft, { enabled, onNoted, onKept, onLost }: Autosave): SaveState {
  const project = useProject();
  const written = useRef(draft);
  const save = useMutation({
    mutationFn: (next: ReviewDraft) => saveDraft(project, queueId, id, next),
    onSuccess: (_, next) => onKept(next),
    onError: (error) => isConflict(error) && onLost(),
  });
  const write = useEffectEvent(() => {
    written.current = draft;
    save.mutate(draft);
  });
  useEffect(() => {
    if (!enabled || written.current === draft) return;
    onNoted(id, draft);
    const timer = setTimeout(write, restMs);
    return () => clearTimeout(timer);
  }, [draft, enabled, id, onNoted]);
  if (save.isError) return "failed";
  if (save.isPending) return "saving";
  return save.isSuccess ? "saved" : "untouched";
}
