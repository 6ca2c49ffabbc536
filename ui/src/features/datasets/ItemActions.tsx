import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Archive, ArchiveRestore, Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";
import { allOf, type Dataset, type Item, saveItem } from "./api";

/** Puts an item aside, takes it back, or deletes it. */
export function ItemActions({ dataset, item }: { dataset: Dataset; item: Item }) {
  const project = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const onError = (error: unknown) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message });
  const archived = item.status === "ARCHIVED";
  const archive = useMutation({
    mutationFn: () => saveItem(project, dataset.name, { id: item.id, status: archived ? "ACTIVE" : "ARCHIVED" }),
    onSuccess: () => (void client.invalidateQueries({ queryKey: allOf(project) }), toast({ title: archived ? "Active again" : "Archived: runs leave it out" })),
    onError,
  });
  const remove = useMutation({
    mutationFn: () => project.api.DELETE("/api/public/dataset-items/{datasetItemId}", { params: { path: { datasetItemId: item.id } } }),
    onSuccess: async () => {
      await navigate({ to: "/project/$projectId/datasets/$datasetId", params: { projectId: project.id, datasetId: dataset.id } });
      toast({ title: "Deleted. Versions of the past can still be looked at." });
      void client.invalidateQueries({ queryKey: allOf(project) });
    },
    onError,
  });
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label="More" />} className="w-48">
        <MenuItem icon={archived ? ArchiveRestore : Archive} onSelect={() => archive.mutate()}>{archived ? "Take out of the archive" : "Archive"}</MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setAsking(true)}>Delete…</MenuItem>
      </Menu>
      <AlertDialog
        open={asking} onOpenChange={setAsking} title="Delete this item?" action="Delete item" confirmText={item.id} busy={remove.isPending} onConfirm={() => remove.mutate()}
        description="It leaves the dataset. What it was stays in versions of the past, so that runs over it can be understood."
      />
    </>
  );
}
