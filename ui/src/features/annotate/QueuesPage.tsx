import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ClipboardCheck, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { usePeople } from "@/shared/api/people";
import { allows, useProject } from "@/shared/api/project";
import { formatCount, none } from "@/shared/lib/format";
import { Button, buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { ProgressBar } from "@/shared/ui/ProgressBar";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { useToast } from "@/shared/ui/Toast";
import { allConfigsQuery, type Progress, type Queue, queuesQuery } from "./api";
import { QueueDialog } from "./QueueDialog";

const notBegun: Progress = { queueId: "", pending: 0, completed: 0, locks: [], assignedUserIds: [] };

/** The queues of a project: what is to be reviewed, by which scores, by whom, and how far it is. */
export function QueuesPage() {
  const project = useProject();
  const toast = useToast();
  const [editing, setEditing] = useState<Queue | "new" | null>(null);
  const { data, error, isPending, refetch } = useQuery(queuesQuery(project));
  const mayChange = allows(project.role, "MEMBER");
  const before = editing === "new" || editing === null ? undefined : editing;
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title="Annotate" actions={mayChange && <Button variant="primary" icon={Plus} onClick={() => setEditing("new")}>New queue</Button>} />
      <div className="flex max-w-5xl flex-col gap-3 p-4">
        {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
        {isPending && <SkeletonRows rows={6} label="Loading queues" />}
        {data?.queues.length === 0 && (
          <EmptyState icon={ClipboardCheck} title="No annotation queues yet" actions={mayChange && <Button variant="primary" icon={Plus} onClick={() => setEditing("new")}>New queue</Button>}>
            A queue collects traces, observations or sessions that people score one by one. Make one, then add items to it from the traces list or from a trace.
          </EmptyState>
        )}
        {data !== undefined && data.queues.length > 0 && <QueueTable queues={data.queues} progress={data.progress} onEdit={mayChange ? setEditing : undefined} />}
        {data !== undefined && data.total > data.queues.length && <p className="text-xs text-text-2">The newest {formatCount(data.queues.length)} of {formatCount(data.total)} queues.</p>}
      </div>
      {editing !== null && (
        <QueueDialog
          before={before} assigned={before === undefined ? [] : (data?.progress.get(before.id)?.assignedUserIds ?? [])} onClose={() => setEditing(null)}
          onSaved={({ name }) => (setEditing(null), toast({ kind: "ok", title: `${name} is saved` }))}
        />
      )}
    </div>
  );
}

function Reviewed({ progress: { completed, pending } }: { progress: Progress }) {
  if (completed + pending === 0) return <span className="text-text-3">Nothing in it yet</span>;
  return <div className="w-36"><ProgressBar label="Reviewed" done={completed} total={completed + pending} /></div>;
}

interface TableView {
  projectId: string;
  progressOf: (queue: Queue) => Progress;
  nameOf: (userId: string) => string;
  configName: (id: string) => string;
  onEdit: ((queue: Queue) => void) | undefined;
}

function QueueTable({ queues, progress, onEdit }: { queues: readonly Queue[]; progress: ReadonlyMap<string, Progress>; onEdit: ((queue: Queue) => void) | undefined }) {
  const project = useProject();
  const nameOf = usePeople();
  const { data: configs = [] } = useQuery(allConfigsQuery(project));
  const columns = columnsOf({
    projectId: project.id, nameOf, onEdit, progressOf: ({ id }) => progress.get(id) ?? notBegun, configName: (id) => configs.find((config) => config.id === id)?.name ?? "?",
  });
  return <ShortTable label="Annotation queues" columns={columns} rows={queues} keyOf={({ id }) => id} />;
}

const columnsOf = ({ projectId, progressOf, nameOf, configName, onEdit }: TableView): ShortColumn<Queue>[] => [
  {
    header: "Queue",
    cell: ({ id, name, description }) => (
      <span className="flex min-w-0 flex-col">
        <Link to="/project/$projectId/annotate/$queueId" params={{ projectId, queueId: id }} className="text-sm font-medium hover:underline">{name}</Link>
        {description !== null && description !== "" && <span className="text-2xs font-normal text-text-2">{description}</span>}
      </span>
    ),
  },
  { header: "Scores", cell: (queue) => <span className="min-w-0 break-words text-text-2">{queue.scoreConfigIds.map(configName).join(", ")}</span> },
  { header: "Progress", cell: (queue) => <Reviewed progress={progressOf(queue)} /> },
  { header: "Pending", cell: (queue) => <span className="tabular-nums">{formatCount(progressOf(queue).pending)}</span> },
  { header: "Reviewing now", cell: (queue) => <span className="text-text-2">{progressOf(queue).locks.map(({ userId, mine }) => (mine ? "You" : nameOf(userId))).join(", ") || none}</span> },
  { header: "Assigned", cell: (queue) => <span className="text-text-2">{progressOf(queue).assignedUserIds.map(nameOf).join(", ") || none}</span> },
  {
    header: "Actions", headerHidden: true,
    cell: (queue) => onEdit !== undefined && (
      <span className="flex items-center justify-end gap-1">
        {progressOf(queue).pending > 0 && <Link to="/project/$projectId/annotate/$queueId" params={{ projectId, queueId: queue.id }} className={buttonClass("secondary")} aria-label={`Review ${queue.name}`}>Review</Link>}
        <IconButton icon={Pencil} label={`Edit ${queue.name}`} onClick={() => onEdit(queue)} />
      </span>
    ),
  },
];
