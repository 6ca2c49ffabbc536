import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { formatNumberOf } from "@/shared/lib/format";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { useToast } from "@/shared/ui/Toast";
import { deleteScore } from "./api";

interface DeleteScoresProps {
  ids: readonly string[];
  onClose: () => void;
  onDeleted: () => void;
}

/** The server reads a deletion back after its next batch. */
const readableMs = 1000;

/** Asks before scores are deleted. What they are about stays. */
export function DeleteScores({ ids, onClose, onDeleted }: DeleteScoresProps) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const words = formatNumberOf(ids.length, "score");
  const remove = useMutation({
    mutationFn: async () => {
      // oxlint-disable-next-line no-await-in-loop -- one after the other: a few hundred at once would be refused
      for (const id of ids) await deleteScore(project, id);
      await new Promise((resolve) => setTimeout(resolve, readableMs));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["scores", project.id] });
      toast({ kind: "ok", title: `Deleted ${words}` });
      onDeleted();
    },
  });
  return (
    <AlertDialog
      open onOpenChange={onClose} title="Delete scores" action={`Delete ${words}`} confirmText={`delete ${ids.length}`} busy={remove.isPending} onConfirm={() => remove.mutate()}
      description={
        <>
          <p>{words} will be gone from lists, charts and experiments. The traces, observations and sessions that they are about stay. This cannot be undone.</p>
          {remove.error !== null && <p role="alert" className="pt-2 text-danger">{describeError(remove.error).message}</p>}
        </>
      }
    />
  );
}
