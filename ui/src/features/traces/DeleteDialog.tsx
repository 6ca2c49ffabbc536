import { useProject } from "@/shared/api/project";
import { formatNumberOf } from "@/shared/lib/format";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { ProgressBar } from "@/shared/ui/ProgressBar";
import { deleteTraces } from "./bulk";
import type { BulkTarget } from "./BulkDialog";
import { useBulkJob } from "./useBulkJob";

/** Asks before the traces of rows are deleted. Closing it stops what is left to do. */
export function DeleteDialog({ chosen, count, words, onClose, onDeleted }: BulkTarget & { onDeleted: () => void }) {
  const project = useProject();
  const job = useBulkJob(() => (onClose(), onDeleted()));
  const close = () => {
    if (job.busy) job.stop();
    onClose();
  };
  return (
    <AlertDialog
      open onOpenChange={close} title="Delete traces" action="Delete traces" confirmText={count === undefined ? "delete all matching" : `delete ${count}`} busy={job.busy}
      description={
        <>
          <p>The traces of {words} go with all their observations, their scores, comments, and media that nothing else uses. This cannot be undone.</p>
          {job.busy && <div className="pt-3"><ProgressBar label="Traces deleted" done={job.done} /></div>}
        </>
      }
      onConfirm={() => job.start(async (progress, signal) => `Deleted ${formatNumberOf(await deleteTraces(project, chosen, progress, signal), "trace")}`)}
    />
  );
}
