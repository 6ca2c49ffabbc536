import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { unpacked } from "@/shared/chat/message";
import { ofProject, readTextOf } from "@/shared/trace/source";
import { Button } from "@/shared/ui/Button";
import { Combobox } from "@/shared/ui/Combobox";
import { Dialog } from "@/shared/ui/Dialog";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import type { Named } from "../TraceActions";
import { type Subject, SubjectChoice } from "./SubjectChoice";

/** Stands in the list for a dataset that is made now; no name has a line break. */
const another = "\n";

/** Makes an item of a dataset of the trace's root, or of the chosen observation. */
export function DatasetDialog({ traceId, root, chosen, onClose }: { traceId: string; root: Named; chosen: Named | undefined; onClose: () => void }) {
  const { api, id } = useProject();
  const toast = useToast();
  const queries = useQueryClient();
  const [picked, setPicked] = useState<string>();
  const [typed, setTyped] = useState("");
  const [subject, setSubject] = useState<Subject>(chosen === undefined ? "trace" : "chosen");
  const queryKey = ["datasets", id];
  const datasets = useQuery({ queryKey, queryFn: async ({ signal }) => (await api.GET("/api/public/v2/datasets", { params: { query: { limit: "100" } }, signal })).data?.data ?? [] });
  const name = picked === another ? typed.trim() : picked;
  const add = useMutation({
    mutationFn: async (datasetName: string) => {
      const from = subject === "chosen" && chosen !== undefined ? chosen : root;
      const [input, expectedOutput] = await Promise.all(["input", "output"].map(async (part) => wholeText(id, traceId, from.id, part)));
      if (picked === another) await api.POST("/api/public/v2/datasets", { body: { name: datasetName } });
      await api.POST("/api/public/dataset-items", { body: { datasetName, input, expectedOutput, sourceTraceId: traceId, sourceObservationId: from.id } });
    },
    onSuccess: (_, datasetName) => {
      void queries.invalidateQueries({ queryKey });
      toast({ title: `Added an item to ${datasetName}` });
      onClose();
    },
  });
  const error = datasets.error ?? add.error;
  const options = [...(datasets.data ?? []).map((dataset) => ({ value: dataset.name, label: dataset.name })), { value: another, label: "A new dataset…" }];
  return (
    <Dialog
      open onOpenChange={onClose} title="Add to dataset" description="Its input and output become input and expected output of a new item, which keeps the link to this trace."
      footer={<><Button onClick={onClose}>Cancel</Button><Button variant="primary" busy={add.isPending} disabled={!name} onClick={() => name && add.mutate(name)}>Add</Button></>}
    >
      <div className="flex flex-col gap-4">
        <Combobox label="Dataset" value={picked} onChange={setPicked} options={options} error={error ? describeError(error).message : undefined} />
        {picked === another && <TextField label="Name of the new dataset" value={typed} onChange={setTyped} required />}
        <SubjectChoice value={subject} onChange={setSubject} trace={`The trace, by its root ${root.name}`} chosen={chosen?.name} />
      </div>
    </Dialog>
  );
}

/** All of a text, as JSON where it is; null when nothing was sent. (The generated type has no name for any JSON.) */
async function wholeText(projectId: string, traceId: string, observationId: string, part: string): Promise<unknown[] | string | null> {
  const text = await (await readTextOf(ofProject(projectId, traceId), observationId, part, {})).text();
  return text === "" ? null : (unpacked(text) as unknown[] | string);
}
