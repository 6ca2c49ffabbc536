import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { sessionQuery } from "@/shared/api/session";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button } from "@/shared/ui/Button";
import { useToast } from "@/shared/ui/Toast";
import { deleteProject } from "./api";
import { RoleNote, Section } from "./Section";

/** The end of a project, for owners. */
export function DeleteProject() {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const mayDelete = allows(project.role, "OWNER");
  const remove = useMutation({
    mutationFn: () => deleteProject(project),
    onSuccess: async () => {
      toast({ title: `${project.name} is deleted`, detail: "Its data is being erased in the background." });
      await navigate({ to: "/organization/$organizationId", params: { organizationId: project.organizationId } });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
    onSettled: () => setAsking(false),
  });
  return (
    <Section
      title="Delete the project" danger description="Takes everything with it, and cannot be undone."
      actions={mayDelete && <Button variant="danger" onClick={() => setAsking(true)}>Delete project…</Button>}
    >
      {!mayDelete && <RoleNote>Only an OWNER can delete a project. You are {project.role} here.</RoleNote>}
      <AlertDialog
        open={asking} onOpenChange={setAsking} title={`Delete ${project.name}?`} action="Delete project" confirmText={project.name} busy={remove.isPending} onConfirm={() => remove.mutate()}
        description={
          <div className="flex flex-col gap-2">
            <p>With it go, for everybody and for good:</p>
            <ul className="list-disc pl-5">
              <li>all traces, observations, sessions, scores and media</li>
              <li>datasets, experiments, prompts, annotation queues and comments</li>
              <li>saved views, models, prices, connections and export settings</li>
              <li>its API keys: programs that use them are refused within a second</li>
            </ul>
            <p>Backups and files that were exported stay where they are.</p>
          </div>
        }
      />
    </Section>
  );
}
