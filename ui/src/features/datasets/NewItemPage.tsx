import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useProject } from "@/shared/api/project";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { TextField } from "@/shared/ui/TextField";
import { type Dataset, datasetQuery } from "./api";
import { Crumbs } from "./Crumbs";
import { ItemFields } from "./ItemFields";
import { noTexts } from "./texts";
import { useItemDraft } from "./useItemDraft";

/** Writes an item of a dataset. */
export function NewItemPage() {
  const project = useProject();
  const { datasetId } = useParams({ strict: false }) as { datasetId: string };
  const { data, error, refetch } = useQuery(datasetQuery(project, datasetId));
  if (error !== null) return <><h1 className="sr-only">New item</h1><ErrorState error={error} onRetry={() => void refetch()} /></>;
  if (data === undefined) return <><h1 className="sr-only">New item</h1><SkeletonRows rows={8} label="Loading the dataset" /></>;
  return <NewItem dataset={data} />;
}

function NewItem({ dataset }: { dataset: Dataset }) {
  const { id: projectId } = useProject();
  const navigate = useNavigate();
  const [id, setId] = useState("");
  const draft = useItemDraft(dataset, noTexts, id.trim() === "" ? undefined : id.trim(), (item) => void navigate({ to: "/project/$projectId/datasets/$datasetId/items/$itemId", params: { projectId, datasetId: dataset.id, itemId: item.id } }));
  useShortcuts("Item", [{ keys: "mod+s", label: "Save", run: draft.save }]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader title="New item" actions={<Button variant="primary" busy={draft.saving} disabled={draft.changed.length === 0 || !draft.isValid} onClick={draft.save}>Save</Button>}>
        <Crumbs path="" dataset={dataset} />
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-auto p-4">
        <div className="mx-auto flex max-w-4xl flex-col gap-4">
          <TextField label="Id" value={id} onChange={setId} maxLength={255} hint="Unique in the project. Left empty, the server makes one; the id of an item that is there gives it another version." className="max-w-md" />
          <ItemFields texts={draft.texts} onChange={draft.set} problems={draft.problems} />
        </div>
      </div>
    </div>
  );
}
