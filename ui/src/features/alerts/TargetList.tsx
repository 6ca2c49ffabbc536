import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { type AlertTarget, deleteTarget, targetsQuery, testTarget } from "@/shared/alerts/api";
import { allows, useProject } from "@/shared/api/project";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { Panel } from "@/shared/ui/Panel";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { useToast } from "@/shared/ui/Toast";
import { NewTargetDialog } from "./NewTargetDialog";

const kindWords = { webhook: "Webhook", slack: "Slack", email: "Email" } as const;

/** Where alerts are told. */
export function TargetList() {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const [adding, setAdding] = useState(false);
  const [doomed, setDoomed] = useState<AlertTarget | null>(null);
  const { data, error, isPending, refetch } = useQuery(targetsQuery(project));
  const changed = () => queries.invalidateQueries({ queryKey: targetsQuery(project).queryKey });
  const remove = useMutation({ mutationFn: (target: AlertTarget) => deleteTarget(project, target.id), onSuccess: async () => { await changed(); setDoomed(null); } });
  const test = useMutation({
    mutationFn: (target: AlertTarget) => testTarget(project, target.id),
    onSuccess: ({ delivered, error: reason }, { name }) => toast({ kind: delivered ? "ok" : "error", title: delivered ? `${name} took the test message` : `${name} was not reached`, detail: reason ?? undefined }),
    onError: (failure) => toast({ kind: "error", title: "That did not work", detail: failure.message }),
  });
  const mayAdd = allows(project.role, "ADMIN");
  return (
    <Panel title="Targets" aside={mayAdd ? <Button icon={Plus} onClick={() => setAdding(true)}>New target</Button> : undefined} error={error} onRetry={() => void refetch()} pending={isPending}>
      <div className="px-4 pt-1 pb-4">
        {data?.length === 0 ? <p className="py-4 text-center text-xs text-text-2">Nobody is told yet. {mayAdd ? "Add a webhook, a Slack channel or an email address." : "Admins of the project can add targets."}</p> : (
          <ShortTable label="Targets" rows={data ?? []} keyOf={({ id }) => id} columns={columnsOf({ test: allows(project.role, "MEMBER") ? test.mutate : undefined, remove: mayAdd ? setDoomed : undefined })} />
        )}
      </div>
      {adding && <NewTargetDialog onClose={() => setAdding(false)} />}
      {doomed !== null && <AlertDialog open onOpenChange={() => setDoomed(null)} title={`Delete ${doomed.name}?`} confirmText={doomed.name} action="Delete target" busy={remove.isPending} onConfirm={() => remove.mutate(doomed)} description={<>Messages that it has not got yet are not sent.{remove.error !== null && <ErrorState compact error={remove.error} />}</>} />}
    </Panel>
  );
}

/** What may be done; undefined: not by this person. */
interface Actions {
  test: ((target: AlertTarget) => void) | undefined;
  remove: ((target: AlertTarget) => void) | undefined;
}

const columnsOf = ({ test, remove }: Actions): ShortColumn<AlertTarget>[] => [
  { header: "Name", cell: ({ name }) => name },
  { header: "Kind", cell: ({ kind }) => kindWords[kind] },
  { header: "Address", cell: ({ displayAddress }) => <span className="font-mono break-all">{displayAddress}</span> },
  {
    header: "Actions", headerHidden: true,
    cell: (target) => (
      <span className="flex justify-end">
        {test !== undefined && <IconButton icon={Send} label={`Send a test to ${target.name}`} onClick={() => test(target)} />}
        {remove !== undefined && <IconButton icon={Trash2} label={`Delete ${target.name}`} onClick={() => remove(target)} />}
      </span>
    ),
  },
];
