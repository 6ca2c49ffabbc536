import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { useProject } from "@/shared/api/project";
import { saveDraft } from "./api";
import type { ReviewDraft } from "./draft";

const restMs = 600;

export type SaveState = "saved" | "saving" | "failed" | "untouched";

/** Keeps a draft on the server whenever somebody pauses, so that a reload or another machine has it. */
export function useAutosave(queueId: string, itemId: string, draft: ReviewDraft, enabled: boolean): SaveState {
  const project = useProject();
  const written = useRef(draft);
  const save = useMutation({ mutationFn: (next: ReviewDraft) => saveDraft(project, queueId, itemId, next) });
  const write = useEffectEvent(() => {
    written.current = draft;
    save.mutate(draft);
  });
  useEffect(() => {
    if (!enabled || written.current === draft) return;
    const timer = setTimeout(write, restMs);
    return () => clearTimeout(timer);
  }, [draft, enabled]);
  if (save.isError) return "failed";
  if (save.isPending) return "saving";
  return save.isSuccess ? "saved" : "untouched";
}
