import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Copy, Plus, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { formatNumberOf } from "@/shared/lib/format";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { Skeleton } from "@/shared/ui/Skeleton";
import { createDashboard, dashboardQuery, deleteDashboard, listQuery } from "./api";
import type { DashboardHead } from "./model";

/** The dashboards of a project. Those that are built in are there from the beginning. */
export function DashboardsPage() {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [doomed, setDoomed] = useState<DashboardHead | null>(null);
  const { data, error, isPending, refetch } = useQuery(listQuery(project));
  const changed = () => queries.invalidateQueries({ queryKey: ["dashboards", project.id] });
  const create = useMutation({
    mutationFn: async (from: DashboardHead | null) => {
      const source = from === null ? undefined : await queries.fetchQuery(dashboardQuery(project, from.id));
      return createDashboard(project, { name: source === undefined ? "New dashboard" : `Copy of ${source.name}`, description: source?.description ?? "", tiles: source?.tiles ?? [] });
    },
    onSuccess: async (made) => {
      await changed();
      await navigate({ to: "/project/$projectId/dashboards/$dashboardId", params: { projectId: project.id, dashboardId: made.id }, search: { edit: "1" } as never });
    },
  });
  const drop = useMutation({ mutationFn: (head: DashboardHead) => deleteDashboard(project, head.id), onSuccess: async () => { await changed(); setDoomed(null); } });
  const mayEdit = allows(project.role, "MEMBER");
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader title="Dashboards" documentTitle={`Dashboards · ${project.name}`} actions={mayEdit && <Button icon={Plus} variant="primary" busy={create.isPending} onClick={() => create.mutate(null)}>New dashboard</Button>} />
      <div className="min-h-0 flex-1 overflow-auto p-4 max-sm:p-3">
        {create.error !== null && <ErrorState compact error={create.error} />}
        {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
        {isPending && <div role="status" aria-label="Loading" className="flex flex-col gap-3"><Skeleton /><Skeleton /><Skeleton /></div>}
        {data !== undefined && (
          <ShortTable label="Dashboards" rows={data} keyOf={({ id }) => id} columns={columnsOf({ projectId: project.id, mayEdit, copy: create.mutate, remove: setDoomed })} />
        )}
      </div>
      {doomed !== null && (
        <AlertDialog
          open onOpenChange={() => setDoomed(null)} title={doomed.builtIn ? `Reset ${doomed.name}?` : `Delete ${doomed.name}?`} confirmText={doomed.name} busy={drop.isPending} onConfirm={() => drop.mutate(doomed)}
          action={doomed.builtIn ? "Reset dashboard" : "Delete dashboard"}
          description={<>{doomed.builtIn ? "It becomes what it was at first; your changes to it are lost." : "It is gone for everybody in the project."} Alerts that were made from its tiles stay.{drop.error !== null && <ErrorState compact error={drop.error} />}</>}
        />
      )}
    </div>
  );
}

interface TableView {
  projectId: string;
  mayEdit: boolean;
  copy: (head: DashboardHead) => void;
  remove: (head: DashboardHead) => void;
}

const columnsOf = ({ projectId, mayEdit, copy, remove }: TableView): ShortColumn<DashboardHead>[] => [
  { header: "Name", cell: (head) => <NameCell head={head} projectId={projectId} /> },
  { header: "Tiles", cell: ({ tileCount }) => formatNumberOf(tileCount, "tile") },
  { header: "Changed", cell: ({ updatedAt }) => (updatedAt === null ? <span className="text-text-3">as built in</span> : <RelativeTime value={updatedAt} />) },
  {
    header: "Actions", headerHidden: true,
    cell: (head) => mayEdit && (
      <span className="flex justify-end">
        <IconButton icon={Copy} label={`Copy ${head.name}`} onClick={() => copy(head)} />
        {head.revision > 0 && <IconButton icon={head.builtIn ? RotateCcw : Trash2} label={head.builtIn ? `Reset ${head.name}` : `Delete ${head.name}`} onClick={() => remove(head)} />}
      </span>
    ),
  },
];

function NameCell({ head, projectId }: { head: DashboardHead; projectId: string }) {
  return (
    <span className="flex min-w-0 flex-col py-1">
      <span className="flex items-center gap-2">
        <Link to="/project/$projectId/dashboards/$dashboardId" params={{ projectId, dashboardId: head.id }} className="inline-flex min-h-6 items-center text-sm font-medium text-accent hover:underline">{head.name}</Link>
        {head.builtIn && <Badge>built in</Badge>}
      </span>
      {head.description !== "" && <span className="text-text-2">{head.description}</span>}
    </span>
  );
}
