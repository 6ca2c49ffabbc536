import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ellipsis, Pause, Play, Trash2, Workflow } from "lucide-react";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";
import { changeEvaluator, deleteEvaluator, type Evaluator, evaluatorsKey, rulesKey } from "./api";
import { RuleDialog } from "./RuleDialog";

/** What can be done with an evaluator beside changing it. */
export function EvaluatorActions({ evaluator }: { evaluator: Evaluator }) {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [open, setOpen] = useState<"rule" | "delete" | null>(null);
  const paused = evaluator.status === "paused";
  const pause = useMutation({
    mutationFn: () => changeEvaluator(project, evaluator.id, { status: paused ? "active" : "paused" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: evaluatorsKey(project) }),
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  const remove = useMutation({
    mutationFn: () => deleteEvaluator(project, evaluator.id),
    onSuccess: async () => {
      toast({ title: `Deleted ${evaluator.name}` });
      await navigate({ to: "/project/$projectId/evaluators", params: { projectId: project.id } });
      await Promise.all([queries.invalidateQueries({ queryKey: evaluatorsKey(project) }), queries.invalidateQueries({ queryKey: rulesKey(project) })]);
    },
  });
  if (!allows(project.role, "MEMBER")) return null;
  return (
    <>
      <Button icon={Workflow} onClick={() => setOpen("rule")}>New rule…</Button>
      <Menu trigger={<IconButton icon={Ellipsis} label="More" variant="secondary" />}>
        <MenuItem icon={paused ? Play : Pause} onSelect={() => pause.mutate()}>{paused ? "Resume" : "Pause"}</MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setOpen("delete")}>Delete…</MenuItem>
      </Menu>
      {open === "rule" && <RuleDialog rule={null} chosen={[evaluator.id]} onClose={() => setOpen(null)} />}
      {open === "delete" && (
        <AlertDialog
          open onOpenChange={() => setOpen(null)} title={`Delete ${evaluator.name}?`} action="Delete evaluator" confirmText={evaluator.name} busy={remove.isPending} onConfirm={() => remove.mutate()}
          description={<>All of its versions go, and it leaves its rules; a rule that has no other is turned off. Scores that it gave stay.{remove.error !== null && <ErrorState error={remove.error} compact className="p-0!" />}</>}
        />
      )}
    </>
  );
}
