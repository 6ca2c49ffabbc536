import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import { Combobox } from "@/shared/ui/Combobox";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { TextField } from "@/shared/ui/TextField";
import { addToDataset, maxItems } from "./bulk";
import { BulkDialog, type BulkTarget } from "./BulkDialog";
import { useBulkJob } from "./useBulkJob";

const kinds = [{ value: "old", label: "Existing dataset" }, { value: "new", label: "New dataset" }] as const;

/** Makes items of a dataset out of rows. */
export function DatasetDialog({ chosen, count, words, onClose }: BulkTarget) {
  const project = useProject();
  const client = useQueryClient();
  const job = useBulkJob(onClose);
  const datasets = useQuery({
    queryKey: ["datasets", project.id],
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/v2/datasets", { params: { query: { limit: "100" } }, signal })).data?.data ?? [],
  });
  const [kind, setKind] = useState<"old" | "new">();
  const [chosenName, setChosenName] = useState<string>();
  const [newName, setNewName] = useState("");
  const shown = kind ?? (datasets.data?.length === 0 ? "new" : "old");
  const name = shown === "old" ? chosenName : newName.trim() || undefined;
  return (
    <BulkDialog
      title="Add to dataset" description={`Input and output of ${words} become input and expected output of new items${(count ?? maxItems + 1) > maxItems ? `, of the newest ${formatCount(maxItems)} rows` : ""}.`}
      action="Add" counting="Items added" total={count && Math.min(count, maxItems)} job={job} onClose={onClose}
      run={name === undefined ? undefined : async (progress, signal) => {
        if (shown === "new") await project.api.POST("/api/public/v2/datasets", { body: { name }, signal });
        const added = await addToDataset(project, chosen, name, progress, signal);
        void client.invalidateQueries({ queryKey: ["datasets", project.id] });
        return `Added ${formatNumberOf(added, "item")} to ${name}`;
      }}
    >
      <SegmentedControl label="Dataset" value={shown} onChange={setKind} segments={kinds} className="self-start" />
      {shown === "old" && (
        <Combobox
          label="Dataset" value={chosenName} onChange={setChosenName} options={(datasets.data ?? []).map((dataset) => ({ value: dataset.name, label: dataset.name }))}
          hint={datasets.data?.length === 0 ? "There is no dataset yet: make a new one." : undefined} error={datasets.error ? describeError(datasets.error).message : undefined}
        />
      )}
      {shown === "new" && <TextField label="Name" value={newName} onChange={setNewName} required hint="A slash in it makes folders: support/refunds." />}
    </BulkDialog>
  );
}
