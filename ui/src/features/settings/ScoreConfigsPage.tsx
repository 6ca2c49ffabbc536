import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Archive, ArchiveRestore, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { none } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { Switch } from "@/shared/ui/Switch";
import { useToast } from "@/shared/ui/Toast";
import { ConfigDialog, typeOptions } from "./score-configs/ConfigDialog";
import type { ScoreConfig } from "./score-configs/draft";
import { RoleNote, Section } from "./Section";

/** The rules that scores are held to: names, ranges and categories. */
export function ScoreConfigsPage() {
  const project = useProject();
  const toast = useToast();
  const [archived, setArchived] = useUrlState("archived", "");
  const [editing, setEditing] = useState<ScoreConfig | "new" | null>(null);
  const [archiving, setArchiving] = useState<ScoreConfig | null>(null);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["score-configs", project.id, "all"],
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/score-configs", { params: { query: { limit: "100" } }, signal })).data!,
  });
  const queries = useQueryClient();
  const archive = useMutation({
    mutationFn: ({ id, isArchived }: ScoreConfig) => project.api.PATCH("/api/public/score-configs/{configId}", { params: { path: { configId: id } }, body: { isArchived: !isArchived } }),
    onSuccess: (_, { name, isArchived }) => {
      void queries.invalidateQueries({ queryKey: ["score-configs", project.id] });
      toast({ kind: "ok", title: isArchived ? `${name} is in use again` : `${name} is archived` });
      setArchiving(null);
    },
  });
  const mayChange = allows(project.role, "MEMBER");
  const rows = data?.data.filter(({ isArchived }) => archived !== "" || !isArchived) ?? [];
  const toggle = (config: ScoreConfig) => (config.isArchived ? archive.mutate(config) : setArchiving(config));
  return (
    <div className="flex max-w-5xl flex-col gap-4">
      <Section
        title="Score configs" description="A config says which values a score may have. Reviewers get a field for it, and scores that name it and break it are refused."
        actions={mayChange && <Button variant="primary" icon={Plus} onClick={() => setEditing("new")}>New config</Button>}
      >
        {!mayChange && <RoleNote>Configs are made and changed by those with the role MEMBER. You are {project.role} here.</RoleNote>}
        {error !== null && <ErrorState error={error} onRetry={() => void refetch()} compact />}
        {isPending && <SkeletonRows rows={5} label="Loading score configs" />}
        {data?.data.some(({ isArchived }) => isArchived) && <Switch checked={archived !== ""} onChange={(on) => setArchived(on ? "1" : "")}>Show archived</Switch>}
        {data !== undefined && rows.length === 0 && <EmptyState title="No score configs yet">Make one for what your team looks at, such as Tone with the categories Rude, Neutral and Friendly. Annotation queues need at least one.</EmptyState>}
        {rows.length > 0 && <ShortTable label="Score configs" columns={columnsOf(mayChange ? { edit: setEditing, toggle } : undefined)} rows={rows} keyOf={({ id }) => id} />}
        {data !== undefined && data.meta.totalItems > data.data.length && <p className="text-xs text-text-2">The newest {data.data.length} of {data.meta.totalItems} configs.</p>}
      </Section>
      {editing !== null && <ConfigDialog before={editing === "new" ? undefined : editing} onClose={() => setEditing(null)} onSaved={({ name }) => (setEditing(null), toast({ kind: "ok", title: `${name} is saved` }))} />}
      {archiving !== null && (
        <AlertDialog
          open onOpenChange={() => setArchiving(null)} title={`Archive ${archiving.name}?`} action="Archive" busy={archive.isPending} onConfirm={() => archive.mutate(archiving)}
          description="New scores that name it are refused, and queues show no field for it any more. Scores that were given stay. It can be taken back into use."
        />
      )}
    </div>
  );
}

const columnsOf = (actions: { edit: (config: ScoreConfig) => void; toggle: (config: ScoreConfig) => void } | undefined): ShortColumn<ScoreConfig>[] => [
  { header: "Name", cell: (config) => <span className="flex items-center gap-2">{config.name}{config.isArchived && <Badge>Archived</Badge>}</span> },
  { header: "Type", cell: ({ dataType }) => typeOptions.find(({ value }) => value === dataType)?.label },
  { header: "Values", cell: (config) => <span className="min-w-0 break-words text-text-2">{valuesOf(config)}</span> },
  { header: "Description", cell: (config) => <span className="min-w-0 break-words text-text-2">{config.description ?? none}</span> },
  {
    header: "Actions", headerHidden: true,
    cell: (config) => actions !== undefined && (
      <span className="flex justify-end gap-1">
        <IconButton icon={Pencil} label={`Edit ${config.name}`} onClick={() => actions.edit(config)} />
        <IconButton icon={config.isArchived ? ArchiveRestore : Archive} label={config.isArchived ? `Use ${config.name} again` : `Archive ${config.name}`} onClick={() => actions.toggle(config)} />
      </span>
    ),
  },
];

function valuesOf({ dataType, minValue, maxValue, categories }: ScoreConfig): string {
  if (dataType === "BOOLEAN") return "Yes, No";
  if (dataType === "TEXT") return "Up to 500 characters";
  if (dataType === "CATEGORICAL") return (categories ?? []).map(({ label, value }) => `${label} (${value})`).join(", ");
  if (minValue === null && maxValue === null) return "Any number";
  return minValue === null ? `Up to ${maxValue}` : maxValue === null ? `From ${minValue}` : `${minValue} to ${maxValue}`;
}
