import { useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { CopyField } from "@/shared/ui/CopyField";
import { type FreshKey, keepFreshKey } from "./freshKey";

/** The key that the snippets carry: the one that was just made, or the way to make one. */
export function KeyPanel({ fresh, known }: { fresh: FreshKey | undefined; known: boolean }) {
  const project = useProject();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => project.api.POST("/api/public/projects/{projectId}/apiKeys", { params: { path: { projectId: project.id } }, body: { name: "First trace" } }),
    onSuccess: ({ data }) => keepFreshKey(queries, project.id, data!),
  });
  if (fresh !== undefined) {
    return (
      <div className="flex flex-col gap-3">
        <div className="grid gap-3 sm:grid-cols-2">
          <CopyField label="Public key" value={fresh.publicKey} />
          <CopyField label="Secret key" value={fresh.secretKey} />
        </div>
        <p className="text-xs text-text-3">The secret is shown only now, until this tab is closed or loaded again. It is filled in below.</p>
      </div>
    );
  }
  if (!allows(project.role, "ADMIN")) {
    return <p className="text-sm text-text-2">Creating a key takes the role ADMIN, and you are {project.role}. Ask an admin of {project.organizationName} for one, and put it in place of the dots below.</p>;
  }
  return (
    <div className="flex flex-col items-start gap-3">
      {create.error !== null && <Banner tone="danger">{describeError(create.error).message}</Banner>}
      <p className="text-sm text-text-2">
        {known ? "The project has a key, but its secret was shown only once. Use it, or create another: it is filled in below." : "It says to which project a trace belongs. Both halves are filled in below."}
      </p>
      <Button variant={known ? "secondary" : "primary"} icon={KeyRound} busy={create.isPending} onClick={() => create.mutate()}>Create API key</Button>
    </div>
  );
}
