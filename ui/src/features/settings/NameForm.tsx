import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { sessionQuery } from "@/shared/api/session";
import { Button } from "@/shared/ui/Button";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { changeName } from "./api";
import { FormError, refusalOf } from "./FormError";

export function NameForm({ name: saved }: { name: string }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [name, setName] = useState(saved);
  const changed = name.trim() !== saved;
  const save = useMutation({
    mutationFn: () => changeName(name.trim()),
    onSuccess: async () => {
      toast({ title: "Name saved" });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed && !save.isPending) save.mutate();
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <TextField label="Name" value={name} onChange={setName} maxLength={100} autoComplete="name" error={refusalOf(save.error)} hint="Others see it beside what you write." className="max-w-80" />
      <FormError error={save.error} />
      <div><Button type="submit" variant="primary" disabled={!changed} busy={save.isPending}>Save name</Button></div>
    </form>
  );
}
