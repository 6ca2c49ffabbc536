import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { beginSession } from "@/shared/api/beginSession";
import { createApi } from "@/shared/api/client";
import { describeError } from "@/shared/api/describeError";
import { ApiError } from "@/shared/api/errors";
import { useSession } from "@/shared/api/session";
import { Banner } from "@/shared/ui/Banner";
import { Button, buttonClass } from "@/shared/ui/Button";
import { FormPage } from "@/shared/ui/FormPage";
import { Redirect } from "@/shared/ui/Redirect";
import { SecretField } from "@/shared/ui/SecretField";
import { TextField } from "@/shared/ui/TextField";
import { keepFreshKey } from "./freshKey";
import { SetupClosed } from "./SetupClosed";

const blank = { name: "", email: "", password: "", organizationName: "", projectName: "" };

/** The first visitor of a new server becomes its owner, and goes on to send a first trace. */
export function FirstRunPage() {
  const session = useSession();
  const queries = useQueryClient();
  const [form, setForm] = useState(blank);
  const setUp = useMutation({
    mutationFn: () => createApi().POST("/api/ui/setup", { body: trimmed(form) }),
    onSuccess: ({ data }) => {
      beginSession(queries, data!.session);
      keepFreshKey(queries, data!.project.id, { ...data!.project, createdAt: new Date().toISOString() });
    },
  });
  if (setUp.data !== undefined) return <Redirect href={`/project/${encodeURIComponent(setUp.data.data!.project.id)}/setup`} />;
  const refused = setUp.error instanceof ApiError ? setUp.error : undefined;
  if (!session.setupNeeded || refused?.status === 409) return <AlreadySetUp signedIn={session.user !== null} />;
  if (refused?.status === 403) return <SetupClosed reason={refused.message} email={form.email.trim()} name={form.name.trim()} />;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!setUp.isPending) setUp.mutate();
  };
  const fields = refused?.fields ?? {};
  const bind = (field: keyof typeof blank) => ({ name: field, value: form[field], error: fields[field], onChange: (value: string) => setForm({ ...form, [field]: value }) });
  return (
    <FormPage title="Set up Sonde" intro="You are the first here: this makes you the owner of this server's organization.">
      <form className="flex flex-col gap-6" onSubmit={submit}>
        {setUp.error !== null && Object.keys(fields).length === 0 && <Banner tone="danger">{describeError(setUp.error).message}</Banner>}
        <Part title="You">
          <TextField label="Name" autoComplete="name" maxLength={256} {...bind("name")} />
          <TextField label="Email" type="email" autoComplete="username" required maxLength={320} {...bind("email")} />
          <SecretField label="Password" autoComplete="new-password" required minLength={8} maxLength={256} hint="At least 8 characters." {...bind("password")} />
        </Part>
        <Part title="Your organization and its first project" hint="Left empty, they keep the names that the server was started with.">
          <TextField label="Organization" autoComplete="organization" placeholder="Acme" minLength={3} maxLength={60} {...bind("organizationName")} />
          <TextField label="Project" autoComplete="off" placeholder="chatbot" minLength={3} maxLength={60} {...bind("projectName")} />
        </Part>
        <Button type="submit" variant="primary" busy={setUp.isPending}>Set up and send a first trace</Button>
      </form>
    </FormPage>
  );
}

const trimmed = ({ password, ...texts }: typeof blank) =>
  ({ ...(Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, value.trim()])) as Omit<typeof blank, "password">), password });

function Part({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="mb-3 w-full border-b border-line pb-1 text-sm font-medium">{title}</legend>
      {children}
      {hint !== undefined && <p className="text-xs text-text-3">{hint}</p>}
    </fieldset>
  );
}

function AlreadySetUp({ signedIn }: { signedIn: boolean }) {
  return (
    <FormPage title="This server is set up already" intro={signedIn ? undefined : "Sign in, or ask one of its owners to invite you."}>
      <Link to="/" className={buttonClass("primary", "w-full")}>{signedIn ? "To the start" : "Sign in"}</Link>
    </FormPage>
  );
}
