import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { type Part, partQuery } from "@/shared/trace/details/readPart";
import { ofProject, readTextOf, type TraceSource } from "@/shared/trace/source";
import { Button } from "@/shared/ui/Button";
import { Combobox } from "@/shared/ui/Combobox";
import { Dialog } from "@/shared/ui/Dialog";
import { Select } from "@/shared/ui/Select";
import { Skeleton } from "@/shared/ui/Skeleton";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import type { Named } from "../TraceActions";
import { type Subject, SubjectChoice } from "./SubjectChoice";

/** Stands in the list for a dataset that is made now; no name has a line break. */
const another = "\n";

const fields = ["input", "expectedOutput", "metadata"] as const;
type Field = (typeof fields)[number];
type Parts = Record<Field, Part | "">;

const labels: Record<Field, string> = { input: "Input of the item", expectedOutput: "Expected output", metadata: "Metadata" };
const sources = [{ value: "input", label: "its input" }, { value: "output", label: "its output" }, { value: "metadata", label: "its metadata" }, { value: "", label: "nothing" }] as const;

/** Makes an item of a dataset of the trace's root, or of the chosen observation, out of the texts that are chosen. */
export function DatasetDialog({ traceId, root, chosen, onClose }: { traceId: string; root: Named; chosen: Named | undefined; onClose: () => void }) {
  const { api, id } = useProject();
  const toast = useToast();
  const queries = useQueryClient();
  const [picked, setPicked] = useState<string>();
  const [typed, setTyped] = useState("");
  const [subject, setSubject] = useState<Subject>(chosen === undefined ? "trace" : "chosen");
  const [parts, setParts] = useState<Parts>({ input: "input", expectedOutput: "output", metadata: "" });
  const source = ofProject(id, traceId);
  const from = subject === "chosen" && chosen !== undefined ? chosen : root;
  const datasets = useQuery({ queryKey: ["datasets", id, "summaries"], queryFn: async ({ signal }) => (await api.GET("/api/public/dataset-summaries", { signal })).data?.data ?? [] });
  const name = picked === another ? typed.trim() : picked;
  const add = useMutation({
    mutationFn: async (datasetName: string) => {
      const texts = await Promise.all(fields.map(async (field) => (parts[field] === "" ? "" : wholeText(source, from.id, parts[field]))));
      if (picked === another) await api.POST("/api/public/v2/datasets", { body: { name: datasetName } });
      const given = { datasetName, sourceTraceId: traceId, sourceObservationId: from.id };
      // Texts go out as they came: a number of any length stays what it is.
      const members = [JSON.stringify(given).slice(1, -1), ...fields.flatMap((field, at) => (texts[at] === "" ? [] : [`"${field}":${texts[at]}`]))];
      await api.POST("/api/public/dataset-items", { body: given, bodySerializer: () => `{${members.join(",")}}` });
    },
    onSuccess: (_, datasetName) => {
      void queries.invalidateQueries({ queryKey: ["datasets", id] });
      toast({ title: `Added an item to ${datasetName}` });
      onClose();
    },
  });
  const error = datasets.error ?? add.error;
  const options = [...(datasets.data ?? []).map((dataset) => ({ value: dataset.name, label: dataset.name })), { value: another, label: "A new dataset…" }];
  const nothing = fields.every((field) => parts[field] === "");
  return (
    <Dialog
      open onOpenChange={onClose} title="Add to dataset" description="The new item keeps the link to this trace."
      footer={<><Button onClick={onClose}>Cancel</Button><Button variant="primary" busy={add.isPending} disabled={!name || nothing} onClick={() => name && add.mutate(name)}>Add</Button></>}
    >
      <div className="flex flex-col gap-4">
        <Combobox label="Dataset" value={picked} onChange={setPicked} options={options} error={error ? describeError(error).message : undefined} />
        {picked === another && <TextField label="Name of the new dataset" value={typed} onChange={setTyped} required />}
        <SubjectChoice value={subject} onChange={setSubject} trace={`The trace, by its root ${root.name}`} chosen={chosen?.name} />
        {fields.map((field) => (
          <div key={field} className="flex flex-col gap-1">
            <Select label={labels[field]} value={parts[field]} onChange={(part) => setParts((before) => ({ ...before, [field]: part }))} options={sources} />
            {parts[field] !== "" && <PartPreview source={source} observationId={from.id} part={parts[field]} />}
          </div>
        ))}
      </div>
    </Dialog>
  );
}

const shownCharacters = 300;

/** The beginning of a text, to see what the item will have. */
function PartPreview({ source, observationId, part }: { source: TraceSource; observationId: string; part: Part }) {
  const { data, error } = useQuery(partQuery(source, observationId, part, false));
  if (error !== null) return <p role="alert" className="text-xs text-danger">{describeError(error).message}</p>;
  if (data === undefined) return <Skeleton className="w-3/4" />;
  if (data.bytes.length === 0) return <p className="text-xs text-text-3">Nothing was sent.</p>;
  const text = new TextDecoder().decode(data.bytes.subarray(0, shownCharacters * 4));
  return <p className="max-h-20 overflow-hidden rounded-md bg-surface px-2 py-1 font-mono text-2xs break-all text-text-2">{text.slice(0, shownCharacters)}{text.length > shownCharacters && "…"}</p>;
}

/** All of a text as JSON: as it is written where it is, else as a string; "" when nothing was sent. */
async function wholeText(source: TraceSource, observationId: string, part: string): Promise<string> {
  const text = await (await readTextOf(source, observationId, part, {})).text();
  try {
    JSON.parse(text);
    return text;
  } catch {
    return text === "" ? "" : JSON.stringify(text);
  }
}
