import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { Checkbox } from "@/shared/ui/Checkbox";
import { Dialog } from "@/shared/ui/Dialog";
import { TextField } from "@/shared/ui/TextField";
import type { ListState } from "./listState";
import { createView, type SavedView, stateOf } from "./savedViews";

/** Asks for the name under which the list, as it is, is kept. */
export function SaveViewDialog({ state, onClose, onSaved }: { state: ListState; onClose: () => void; onSaved: (view: SavedView) => void }) {
  const project = useProject();
  const form = useId();
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const [isDefault, setIsDefault] = useState(false);
  const create = useMutation({
    mutationFn: () => createView(project, state.table, { name: name.trim(), state: stateOf(state.search), shared, isDefault }),
    onSuccess: onSaved,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "" && !create.isPending) create.mutate();
  };
  return (
    <Dialog
      open onOpenChange={onClose} title="Save view" description="It keeps the query, the time range, the columns and the comparison."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={create.isPending} disabled={name.trim() === ""}>Save</Button></>}
    >
      <form id={form} className="flex flex-col gap-2" onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} maxLength={200} required error={create.error ? describeError(create.error).message : undefined} />
        <Checkbox checked={shared} onChange={setShared} hint="Otherwise only you see it.">Everybody in the project sees it</Checkbox>
        <Checkbox checked={isDefault} onChange={setIsDefault} hint="The list shows it when you open it.">Start with this view</Checkbox>
      </form>
    </Dialog>
  );
}
