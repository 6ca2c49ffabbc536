import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createApi } from "@/shared/api/client";
import { describeError } from "@/shared/api/describeError";
import { ApiError } from "@/shared/api/errors";
import type { Session } from "@/shared/api/session";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { SecretField } from "@/shared/ui/SecretField";
import { TextField } from "@/shared/ui/TextField";

interface AcceptProps {
  token: string;
  onAccepted: (session: Session) => void;
}

function useAccept({ token, onAccepted }: AcceptProps) {
  return useMutation({
    mutationFn: (body: { name?: string; password?: string }) => createApi().POST("/api/ui/invitations/accept/{token}", { params: { path: { token } }, body }),
    onSuccess: ({ data }) => onAccepted(data!),
  });
}

/** For somebody without an account. */
export function SignUpForm({ email, ...props }: AcceptProps & { email: string }) {
  const accept = useAccept(props);
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!accept.isPending) accept.mutate({ name: name.trim(), password });
  };
  const fields = accept.error instanceof ApiError ? accept.error.fields : {};
  const other = accept.error !== null && Object.keys(fields).length === 0;
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      {other && <Banner tone="danger">{describeError(accept.error).message}</Banner>}
      <TextField label="Email" type="email" name="email" autoComplete="username" readOnly value={email} onChange={() => undefined} />
      <TextField label="Your name" name="name" autoComplete="name" maxLength={256} value={name} onChange={setName} error={fields.name} />
      <SecretField label="Password" name="password" autoComplete="new-password" required minLength={8} maxLength={256} hint="At least 8 characters." value={password} onChange={setPassword} error={fields.password} />
      <Button type="submit" variant="primary" busy={accept.isPending}>Create account and join</Button>
    </form>
  );
}

/** For somebody who is signed in, with whatever address. */
export function JoinForm({ user, email, ...props }: AcceptProps & { user: NonNullable<Session["user"]>; email: string }) {
  const accept = useAccept(props);
  return (
    <div className="flex flex-col gap-4">
      {accept.error !== null && <Banner tone="danger">{describeError(accept.error).message}</Banner>}
      <p className="text-sm">You are signed in as {user.email}.{user.email !== email && " This account will join, not the address that was invited."}</p>
      <Button variant="primary" busy={accept.isPending} onClick={() => accept.mutate({})}>Join as {user.name || user.email}</Button>
    </div>
  );
}
