import type { ReactNode } from "react";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ProgressBar } from "@/shared/ui/ProgressBar";
import type { Chosen } from "./bulk";
import type { BulkJob, useBulkJob } from "./useBulkJob";

/** What a dialog must know of the rows it is about. */
export interface BulkTarget {
  chosen: Chosen;
  /** How many; undefined: all that match, and nobody counted them. */
  count: number | undefined;
  /** The number in words. */
  words: string;
  onClose: () => void;
}

export interface BulkDialogProps {
  title: string;
  description: string;
  /** The verb of the button. */
  action: string;
  /** What is counted while it runs. */
  counting: string;
  total: number | undefined;
  job: ReturnType<typeof useBulkJob>;
  /** Undefined while something is missing to begin. */
  run: BulkJob | undefined;
  onClose: () => void;
  children?: ReactNode;
}

/** Asks how, then shows how far it is. Closing it ends the work. */
export function BulkDialog({ title, description, action, counting, total, job, run, onClose, children }: BulkDialogProps) {
  const close = () => {
    if (job.busy) job.stop();
    onClose();
  };
  return (
    <Dialog
      open onOpenChange={close} title={title} description={description}
      footer={<><Button onClick={job.busy ? job.stop : close}>{job.busy ? "Stop" : "Cancel"}</Button><Button variant="primary" busy={job.busy} disabled={run === undefined} onClick={() => run !== undefined && job.start(run)}>{action}</Button></>}
    >
      <div className="flex flex-col gap-3">
        {children}
        {job.busy && <ProgressBar label={counting} done={job.done} total={total} />}
      </div>
    </Dialog>
  );
}
