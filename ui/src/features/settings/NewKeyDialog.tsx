import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { basePath } from "@/shared/api/client";
import { useProject } from "@/shared/api/project";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { CodeBlock } from "@/shared/ui/CodeBlock";
import { CopyField } from "@/shared/ui/CopyField";
import { Dialog } from "@/shared/ui/Dialog";
import { RadioGroup } from "@/shared/ui/Radio";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { createKey, keysQuery, type NewApiKey, type Scope } from "./api";
import { FormError, refusalOf } from "./FormError";
import { endOf, envFile, type Lifetime, lifetimes, scopes } from "./keys";

/** Makes a key, then shows its secret: the only time that anybody sees it. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const form = useId();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("all");
  const [lifetime, setLifetime] = useState<Lifetime>("never");
  const create = useMutation({
    mutationFn: () => createKey(project, { name, scope, expiresAt: endOf(lifetime, Date.now()) }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: keysQuery(project).queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!create.isPending) create.mutate();
  };
  // One dialog with two contents, so that focus goes back to where it came from.
  if (create.data !== undefined) {
    return (
      <Dialog open onOpenChange={onClose} keep title="Your new key" footer={<Button variant="primary" onClick={onClose}>I have copied it</Button>}>
        <KeySecret made={create.data} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open onOpenChange={onClose} title="Create an API key" description={`For programs that work with ${project.name}.`}
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={create.isPending}>Create key</Button></>}
    >
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Note" value={name} onChange={setName} maxLength={100} error={refusalOf(create.error)} hint="Which program uses it, so that you know later." placeholder="checkout, production" />
        <RadioGroup label="It may do" value={scope} onChange={setScope} options={scopes} />
        <Select label="Expires" value={lifetime} onChange={setLifetime} options={lifetimes} className="max-w-48" />
        <FormError error={create.error} />
      </form>
    </Dialog>
  );
}

function KeySecret({ made: { publicKey, secretKey } }: { made: NewApiKey }) {
  return (
    <div className="flex flex-col gap-4">
      <Banner tone="warn">The secret key is shown only now. Copy it before you close this.</Banner>
      <CopyField label="Public key" value={publicKey} />
      <CopyField label="Secret key" value={secretKey} />
      <CodeBlock title=".env" code={envFile(publicKey, secretKey, location.origin + basePath)} />
    </div>
  );
}
