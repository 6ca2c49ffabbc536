import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { ApiError } from "@/shared/api/errors";
import { sessionQuery } from "@/shared/api/session";
import { Button } from "@/shared/ui/Button";
import { SecretField } from "@/shared/ui/SecretField";
import { useToast } from "@/shared/ui/Toast";
import { changePassword } from "./api";
import { FormError, refusalOf } from "./FormError";

const shortest = 8;

/** A new password for who knows the current one. */
export function PasswordForm({ email }: { email: string }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: async () => {
      toast({ title: "Password changed", detail: "You are signed out in all other browsers." });
      setCurrent("");
      setNext("");
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey }); // this browser has a new session
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!change.isPending) change.mutate();
  };
  const wrong = change.error instanceof ApiError && change.error.status === 403;
  return (
    <form className="flex max-w-80 flex-col gap-3" onSubmit={submit}>
      {/* Password managers look for whose password it is. */}
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      <SecretField label="Current password" value={current} onChange={setCurrent} required autoComplete="current-password" error={wrong ? describeError(change.error).message : undefined} />
      <SecretField label="New password" value={next} onChange={setNext} required minLength={shortest} autoComplete="new-password" error={refusalOf(change.error)} hint={`At least ${shortest} characters.`} />
      {!wrong && <FormError error={change.error} />}
      <div><Button type="submit" variant="primary" disabled={current === "" || next === ""} busy={change.isPending}>Change password</Button></div>
    </form>
  );
}
