import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ellipsis, History, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { Switch } from "@/shared/ui/Switch";
import { useToast } from "@/shared/ui/Toast";
import { changeRule, deleteRule, evaluatorsKey, type Rule, rulesKey, rulesQuery } from "./api";
import { BackfillDialog } from "./BackfillDialog";
import { RuleDialog } from "./RuleDialog";

/** Turns a rule on and off, changes it, applies it to the past, and deletes it. */
export function RuleActions({ rule }: { rule: Rule }) {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [open, setOpen] = useState<"change" | "backfill" | "delete" | null>(null);
  const changed = () => Promise.all([rulesKey(project), evaluatorsKey(project)].map((queryKey) => queries.invalidateQueries({ queryKey })));
  const toggle = useMutation({
    mutationFn: (enabled: boolean) => changeRule(project, rule.id, { enabled }),
    onSuccess: changed,
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  const remove = useMutation({
    mutationFn: () => deleteRule(project, rule.id),
    onSuccess: async () => {
      toast({ title: `Deleted ${rule.name}` });
      // The list counts what each of its rules decided: it must not ask for one that is gone.
      queries.setQueryData(rulesQuery(project).queryKey, (rules) => rules?.filter(({ id }) => id !== rule.id));
      await navigate({ to: "/project/$projectId/evaluators", params: { projectId: project.id } });
      await changed();
    },
  });
  if (!allows(project.role, "MEMBER")) return null;
  return (
    <>
      <Switch checked={toggle.isPending ? toggle.variables : rule.enabled} disabled={toggle.isPending || rule.evaluatorAssignments.length === 0} onChange={(enabled) => toggle.mutate(enabled)}>Enabled</Switch>
      {allows(project.role, "ADMIN") && <Button icon={History} onClick={() => setOpen("backfill")}>Backfill…</Button>}
      <Button icon={Pencil} onClick={() => setOpen("change")}>Change…</Button>
      <Menu trigger={<IconButton icon={Ellipsis} label="More" variant="secondary" />}>
        <MenuItem icon={Trash2} danger onSelect={() => setOpen("delete")}>Delete…</MenuItem>
      </Menu>
      {open === "change" && <RuleDialog rule={rule} onClose={() => setOpen(null)} />}
      {open === "backfill" && <BackfillDialog rule={rule} onClose={() => setOpen(null)} />}
      {open === "delete" && (
        <AlertDialog
          open onOpenChange={() => setOpen(null)} title={`Delete ${rule.name}?`} action="Delete rule" confirmText={rule.name} busy={remove.isPending} onConfirm={() => remove.mutate()}
          description={<>Observations are not evaluated by it any more, and what it decided is not shown any more. Evaluators and scores stay.{remove.error !== null && <ErrorState error={remove.error} compact className="p-0!" />}</>}
        />
      )}
    </>
  );
}
