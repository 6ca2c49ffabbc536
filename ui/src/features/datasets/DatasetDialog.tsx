import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { ApiError } from "@/shared/api/errors";
import { useProject } from "@/shared/api/project";
import { CodeField } from "@/shared/code/CodeEditor";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { TextArea, TextField } from "@/shared/ui/TextField";
import { allOf, type Dataset } from "./api";
import { jsonProblem } from "./texts";

interface DatasetDialogProps {
  /** The dataset that is changed; undefined: a new one is made. */
  dataset?: Dataset;
  /** What the name of a new one begins with. */
  start?: string;
  onClose: () => void;
  onSaved: (datasetId: string) => void;
}

type Form = Record<"name" | "description" | "inputSchema" | "expectedOutputSchema", string>;

const printed = (value: unknown) => (value === null || value === undefined ? "" : JSON.stringify(value, null, 2));

/** Name, description and schemas of a dataset. */
export function DatasetDialog({ dataset, start = "", onClose, onSaved }: DatasetDialogProps) {
  const { api, ...project } = useProject();
  const client = useQueryClient();
  const [form, setForm] = useState<Form>({ name: dataset?.name ?? start, description: dataset?.description ?? "", inputSchema: printed(dataset?.inputSchema), expectedOutputSchema: printed(dataset?.expectedOutputSchema) });
  const set = (key: keyof Form) => (value: string) => setForm((before) => ({ ...before, [key]: value }));
  const problems = { inputSchema: jsonProblem(form.inputSchema), expectedOutputSchema: jsonProblem(form.expectedOutputSchema) };
  const save = useMutation({
    mutationFn: async () => {
      const schema = (text: string) => (text.trim() === "" ? null : (JSON.parse(text) as unknown[]));
      const body = { name: form.name.trim(), description: form.description, inputSchema: schema(form.inputSchema), expectedOutputSchema: schema(form.expectedOutputSchema) };
      return (await api.POST("/api/public/v2/datasets", { body })).data!;
    },
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: allOf({ api, ...project }) });
      onClose();
      onSaved(id);
    },
  });
  const refused = save.error instanceof ApiError ? save.error.fields : {};
  const elsewhere = save.error !== null && Object.keys(refused).length === 0;
  const ready = form.name.trim() !== "" && problems.inputSchema === undefined && problems.expectedOutputSchema === undefined;
  return (
    <Dialog
      open onOpenChange={onClose} size="wide" keep title={dataset === undefined ? "New dataset" : "Edit dataset"}
      footer={<><Button onClick={onClose}>Cancel</Button><Button variant="primary" busy={save.isPending} disabled={!ready} onClick={() => save.mutate()}>{dataset === undefined ? "Create" : "Save"}</Button></>}
    >
      <div className="flex flex-col gap-4">
        {elsewhere && <Banner tone="danger">{describeError(save.error).message}</Banner>}
        {dataset === undefined && <TextField label="Name" value={form.name} onChange={set("name")} required error={refused.name} hint="A slash in it makes folders: support/refunds." />}
        <TextArea label="Description" value={form.description} onChange={set("description")} rows={2} error={refused.description} />
        <CodeField
          label="Schema of inputs" language="json" minLines={5} value={form.inputSchema} onChange={set("inputSchema")} error={problems.inputSchema ?? refused.inputSchema}
          hint='A JSON Schema that the input of every item has to fit, such as {"type": "object", "required": ["question"]}. Leave it empty to take anything.'
        />
        <CodeField label="Schema of expected outputs" language="json" minLines={5} value={form.expectedOutputSchema} onChange={set("expectedOutputSchema")} error={problems.expectedOutputSchema ?? refused.expectedOutputSchema} />
      </div>
    </Dialog>
  );
}
