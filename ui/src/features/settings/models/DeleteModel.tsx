import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { useNow } from "@/shared/lib/useNow";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Banner } from "@/shared/ui/Banner";
import { useToast } from "@/shared/ui/Toast";
import { deleteModel, modelsQuery } from "./api";
import type { Model } from "./definition";
import { findModel } from "./match";

/** Asks before a definition of the project's own goes, and says what prices its models then. */
export function DeleteModel({ model, models, onClose }: { model: Model; models: readonly Model[]; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => deleteModel(project, model.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: modelsQuery(project).queryKey });
      toast({ kind: "ok", title: `${model.modelName} was deleted` });
      onClose();
    },
  });
  const next = findModel(models.filter(({ id }) => id !== model.id), model.modelName, useNow()).model;
  return (
    <AlertDialog
      open onOpenChange={onClose} title={`Delete the price of ${model.modelName}?`} action="Delete price" confirmText={model.modelName} busy={remove.isPending} onConfirm={() => remove.mutate()}
      description={
        <>
          {remove.error !== null && <Banner tone="danger" className="mb-2">{describeError(remove.error).message}</Banner>}
          <p>
            Costs that are stored stay. Observations of {model.modelName} that come from now on {next === undefined ? "have no cost" : `are priced by ${next.modelName} (${next.isLangfuseManaged ? "built in" : "your own"})`}.
          </p>
        </>
      }
    />
  );
}
