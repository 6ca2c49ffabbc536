import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { beginSession } from "@/shared/api/beginSession";
import { createApi } from "@/shared/api/client";
import { describeError } from "@/shared/api/describeError";
import { useSession } from "@/shared/api/session";
import { one, type Search } from "@/shared/lib/search";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { FormPage, OrLine } from "@/shared/ui/FormPage";
import { Redirect } from "@/shared/ui/Redirect";
import { SecretField } from "@/shared/ui/SecretField";
import { TextField } from "@/shared/ui/TextField";
import { safeNext } from "./next";
import { ProviderLink } from "./ProviderLink";

export function SignInPage() {
  const search = useSearch({ strict: false }) as Search;
  const session = useSession();
  const next = safeNext(one(search, "next"));
  if (session.user !== null) return <Redirect href={next} />;
  const { password, oidc } = session.signIn;
  return (
    <FormPage title="Sign in" intro={next === "/" ? undefined : "Then you go on to the page that you asked for."}>
      {session.setupNeeded && (
        <Banner actions={<Link to="/setup" className="min-h-6 text-accent underline">Set it up</Link>}>Nobody has an account on this server yet.</Banner>
      )}
      {password && <PasswordForm refusal={one(search, "error")} />}
      {!password && search.error !== undefined && <Banner tone="danger">{one(search, "error")}</Banner>}
      {password && oidc !== null && <OrLine />}
      {oidc !== null && <ProviderLink name={oidc} next={next} />}
    </FormPage>
  );
}

/** `refusal`: why a provider sent somebody back here. */
function PasswordForm({ refusal }: { refusal: string | undefined }) {
  const queries = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    mutationFn: () => createApi().POST("/api/ui/session", { body: { email: email.trim(), password } }),
    onSuccess: ({ data }) => beginSession(queries, data!), // the page leads on by itself
    onError: () => setPassword(""),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!signIn.isPending) signIn.mutate();
  };
  const trouble = signIn.error === null ? (signIn.isIdle ? refusal : undefined) : describeError(signIn.error).message;
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      {trouble !== undefined && <Banner tone="danger">{trouble}</Banner>}
      <TextField label="Email" type="email" name="email" autoComplete="username" required value={email} onChange={setEmail} />
      <SecretField label="Password" name="password" autoComplete="current-password" required value={password} onChange={setPassword} />
      <Button type="submit" variant="primary" busy={signIn.isPending}>Sign in</Button>
      <p className="text-xs text-text-3">
        No account? Ask an owner or admin to invite you. Forgot the password? The operator sets a new one: <code className="font-mono text-text-2">sonde user reset-password</code>
      </p>
    </form>
  );
}
