import { useMutation } from "@tanstack/react-query";
import { DiffView } from "@/shared/code/DiffView";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import type { Evaluator } from "./api";
import { type Draft, printDraft } from "./draft";

interface ReviewDialogProps {
  before: Draft;
  after: Draft;
  /** Of before. */
  version: number;
  save: () => Promise<Evaluator>;
  onClose: () => void;
  onSaved: (version: number) => void;
}

/** Shows what a new version changes before it is made. */
export function ReviewDialog({ before, after, version, save, onClose, onSaved }: ReviewDialogProps) {
  const saving = useMutation({ mutationFn: save, onSuccess: (made) => onSaved(made.version) });
  return (
    <Dialog
      open onOpenChange={onClose} size="wide" title="Save a new version" description={`What it changes against version ${version}. Rules use the new one from now on; scores that were given stay.`}
      footer={<><Button onClick={onClose}>Cancel</Button><Button variant="primary" busy={saving.isPending} onClick={() => saving.mutate()}>Save version</Button></>}
    >
      <div className="flex flex-col gap-4">
        <DiffView before={printDraft(before)} after={printDraft(after)} beforeLabel={`Version ${version}`} afterLabel="New version" language={after.kind === "code" ? "typescript" : "prompt"} />
        {saving.error !== null && <ErrorState error={saving.error} compact className="p-0!" />}
      </div>
    </Dialog>
  );
}
