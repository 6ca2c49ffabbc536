import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { type Project, useProject } from "@/shared/api/project";
import type { TraceHead } from "@/shared/trace/rows";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { RadioGroup } from "@/shared/ui/Radio";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { TextField } from "@/shared/ui/TextField";

type Other = "before" | "typed";

/** The trace of the same name that started last before this one. */
async function loadBefore({ api }: Project, { name, startTime, id }: TraceHead, signal: AbortSignal) {
  const filter = [
    { type: "boolean", column: "isRootObservation", operator: "=", value: true },
    { type: "string", column: "traceName", operator: "=", value: name },
    { type: "datetime", column: "startTime", operator: "<", value: startTime },
  ];
  const { data } = await api.GET("/api/public/v2/observations", { params: { query: { filter: JSON.stringify(filter), fields: "core", limit: 2 } }, signal });
  return data?.data.find(({ traceId }) => traceId !== null && traceId !== id) ?? null;
}

/** Chooses the trace that this one is compared with. */
export function CompareDialog({ head, onClose }: { head: TraceHead; onClose: () => void }) {
  const project = useProject();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [picked, setPicked] = useState<Other>();
  const before = useQuery({ queryKey: ["trace-before", project.id, head.id], queryFn: ({ signal }) => loadBefore(project, head, signal), enabled: head.name !== null });
  const found = before.data?.traceId;
  const other = picked ?? (found == null ? "typed" : "before");
  // An address of a trace is taken for its id.
  const id = other === "before" ? found : typed.trim().replace(/^.*\/traces\//, "").replace(/[?#].*$/, "");
  const hint = before.data != null ? <>The one before it of the name {head.name}, at <AbsoluteTime value={before.data.startTime} />.</> : before.isPending && head.name !== null ? "Looking for the one before…" : "There is none before it of this name.";
  return (
    <Dialog
      open onOpenChange={onClose} title="Compare with another trace" description={hint}
      footer={<><Button onClick={onClose}>Cancel</Button><Button variant="primary" disabled={!id} onClick={() => void navigate({ to: "/project/$projectId/traces/diff", params: { projectId: project.id }, search: { a: id, b: head.id } as never })}>Compare</Button></>}
    >
      <div className="flex flex-col gap-4">
        <RadioGroup label="Compare with" value={other} onChange={setPicked} options={[{ value: "before", label: "The trace before it of the same name", disabled: found == null }, { value: "typed", label: "A trace that I name" }]} />
        {other === "typed" && <TextField label="Id or address of the other trace" value={typed} onChange={setTyped} error={before.error ? describeError(before.error).message : undefined} />}
      </div>
    </Dialog>
  );
}
