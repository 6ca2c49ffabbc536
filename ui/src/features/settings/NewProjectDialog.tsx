import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { sessionQuery } from "@/shared/api/session";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { createProject } from "./api";
import { FormError, refusalOf } from "./FormError";

/** Makes a project and goes on with its first trace. */
export function NewProjectDialog({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const form = useId();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => createProject(organizationId, name.trim()),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey }); // the session knows which projects there are
      toast({ title: `Created ${name.trim()}` });
      await navigate({ to: "/project/$projectId/setup", params: { projectId: id } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!create.isPending) create.mutate();
  };
  return (
    <Dialog
      open onOpenChange={onClose} title="Create a project" description="It starts empty. The next page shows how to send the first trace."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={create.isPending}>Create project</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} required minLength={3} maxLength={60} error={refusalOf(create.error)} hint="3 to 60 characters, such as the name of your application." />
        <FormError error={create.error} />
      </form>
    </Dialog>
  );
}
