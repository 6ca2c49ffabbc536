import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { useToast } from "@/shared/ui/Toast";
import { type Connection, connectionsQuery, deleteConnection } from "./api";
import { type Adapter, adapters, type ConnectionForm, emptyForm } from "./form";
import { TestDialog } from "./TestDialog";

const shown: ShortColumn<Connection>[] = [
  { header: "Name", cell: ({ provider }) => <span className="break-all">{provider}</span> },
  { header: "API", cell: ({ adapter }) => <Badge>{adapter}</Badge> },
  { header: "Key", cell: ({ displaySecretKey }) => <span className="font-mono">{displaySecretKey}</span> },
  { header: "Address", cell: ({ baseURL }) => (baseURL === null ? <span className="text-text-3">The provider’s own</span> : <span className="break-all">{baseURL}</span>) },
  { header: "Models", cell: ({ customModels, withDefaultModels }) => <span className="break-words">{[...customModels, ...(withDefaultModels ? ["the usual ones"] : [])].join(", ")}</span> },
  { header: "Changed", cell: ({ updatedAt }) => <RelativeTime value={updatedAt} /> },
];

interface Actions {
  test: (connection: Connection) => void;
  replace: (form: ConnectionForm) => void;
  remove: (connection: Connection) => void;
}

const columnsOf = ({ test, replace, remove }: Actions): ShortColumn<Connection>[] => [
  ...shown,
  {
    header: "Actions", headerHidden: true, cell: (connection) => (
      <span className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => test(connection)}>Test…<span className="sr-only"> {connection.provider}</span></Button>
        {isCallable(connection.adapter) && <Button onClick={() => replace(formOf(connection))}>Replace…<span className="sr-only"> {connection.provider}</span></Button>}
        <Button variant="danger" onClick={() => remove(connection)}>Delete…<span className="sr-only"> {connection.provider}</span></Button>
      </span>
    ),
  },
];

/** The connections of a project. Without onReplace they can only be looked at. */
export function ConnectionTable({ connections, onReplace }: { connections: readonly Connection[]; onReplace?: (form: ConnectionForm) => void }) {
  const [testing, setTesting] = useState<Connection | null>(null);
  const [deleting, setDeleting] = useState<Connection | null>(null);
  return (
    <>
      <ShortTable label="Connections" columns={onReplace === undefined ? shown : columnsOf({ test: setTesting, replace: onReplace, remove: setDeleting })} rows={connections} keyOf={({ id }) => id} />
      {testing !== null && <TestDialog connection={testing} onClose={() => setTesting(null)} />}
      {deleting !== null && <DeleteDialog connection={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

const isCallable = (adapter: string): adapter is Adapter => adapters.some(({ value }) => value === adapter);

const formOf = ({ provider, adapter, baseURL, customModels, withDefaultModels, extraHeaderKeys }: Connection): ConnectionForm => ({ ...emptyForm, headers: extraHeaderKeys.map((name) => `${name}: `).join("\n"), provider, adapter: adapter as Adapter, baseURL: baseURL ?? "", models: customModels.join(", "), withDefaultModels });

function DeleteDialog({ connection: { id, provider }, onClose }: { connection: Connection; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => deleteConnection(project, id),
    onSuccess: async () => {
      toast({ title: `Deleted ${provider}` });
      onClose();
      await Promise.all([queries.invalidateQueries({ queryKey: connectionsQuery(project).queryKey }), queries.invalidateQueries({ queryKey: ["playground-models"] })]);
    },
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  return <AlertDialog open onOpenChange={onClose} title={`Delete ${provider}?`} action="Delete connection" confirmText={provider} busy={remove.isPending} onConfirm={() => remove.mutate()} description="Its key is erased. The playground and evaluators that ask models through it fail until there is another of this name." />;
}
