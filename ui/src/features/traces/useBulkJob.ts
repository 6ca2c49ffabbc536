import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { formatCount } from "@/shared/lib/format";
import { useToast } from "@/shared/ui/Toast";
import type { Progress } from "./bulk";

/** Does the work, tells how far it is, and gives what to say when it is done. */
export type BulkJob = (progress: Progress, signal: AbortSignal) => Promise<string>;

/** Runs what is done to many rows; it can be ended on the way. */
export function useBulkJob(onDone: () => void) {
  const toast = useToast();
  const [done, setDone] = useState(0);
  const running = useRef({ controller: new AbortController(), done: 0 });
  const { mutate, isPending } = useMutation({
    mutationFn: (job: BulkJob) => {
      const now = { controller: new AbortController(), done: 0 };
      running.current = now;
      setDone(0);
      return job((count) => setDone((now.done = count)), now.controller.signal);
    },
    onSuccess: (title) => (toast({ title }), onDone()),
    onError: (error) => {
      const { controller, done: reached } = running.current;
      if (controller.signal.aborted) return toast({ kind: "info", title: `Stopped after ${formatCount(reached)}` });
      const { title, message } = describeError(error);
      toast({ kind: "error", title, detail: reached > 0 ? `${message} ${formatCount(reached)} were done before.` : message });
    },
  });
  return { start: (job: BulkJob) => mutate(job), busy: isPending, done, stop: () => running.current.controller.abort() };
}
