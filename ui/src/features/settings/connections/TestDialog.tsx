import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { formatDuration } from "@/shared/lib/format";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { type Connection, testConnection } from "./api";

/** Asks a model of a connection for a word, and says what came of it. */
export function TestDialog({ connection: { provider }, onClose }: { connection: Connection; onClose: () => void }) {
  const project = useProject();
  const form = useId();
  const offered = useQuery({ queryKey: ["playground-models", project.id], queryFn: async ({ signal }) => (await project.api.GET("/api/public/playground/models", { signal })).data?.data ?? [] });
  const models = offered.data?.find((each) => each.provider === provider)?.models ?? [];
  const [chosen, setChosen] = useState("");
  const model = chosen || (models[0] ?? "");
  const test = useMutation({ mutationFn: () => testConnection(project, provider, model) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (model !== "" && !test.isPending) test.mutate();
  };
  return (
    <Dialog
      open onOpenChange={onClose} title={`Test ${provider}`} description="Asks for a word. That costs next to nothing, and is not traced."
      footer={<><Button onClick={onClose}>Close</Button><Button type="submit" form={form} variant="primary" disabled={model === ""} busy={test.isPending}>Test</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        {models.length > 0 ? <Select label="Model" value={model} onChange={setChosen} options={models.map((name) => ({ value: name, label: name }))} /> : <TextField label="Model" value={chosen} onChange={setChosen} placeholder="gpt-4.1-mini" />}
        {test.data !== undefined && <Banner>It works: {test.data.model === "" ? model : test.data.model} answered in {formatDuration(test.data.latencyMs)}.</Banner>}
        {test.error !== null && <ErrorState error={test.error} compact className="p-0!" />}
      </form>
    </Dialog>
  );
}
