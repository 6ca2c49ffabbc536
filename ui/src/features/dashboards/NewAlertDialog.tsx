import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { AlertForm, type AlertDraft, draftOf, settingsOf } from "@/shared/alerts/AlertForm";
import { createAlert } from "@/shared/alerts/api";
import { useProject } from "@/shared/api/project";
import type { Condition } from "@/shared/filter/condition";
import { print } from "@/shared/filter/print";
import { useToast } from "@/shared/ui/Toast";
import { labelOf } from "./catalog";
import { conditionsFor, type Tile, type TileQuery } from "./model";

export interface NewAlertDialogProps {
  tile: Tile;
  query: TileQuery;
  /** What the page is filtered by: the alert keeps it. */
  conditions: readonly Condition[];
  dashboardId: string;
  onClose: () => void;
}

/** An alert on what a tile shows. It keeps the query: a tile that changes later leaves it alone. */
export function NewAlertDialog({ tile, query, conditions, dashboardId, onClose }: NewAlertDialogProps) {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const filters = [...(query.filters ?? []), ...conditionsFor(query.view, conditions).filters];
  const [draft, setDraft] = useState<AlertDraft>(() => draftOf({ name: tile.title, query: { view: query.view, metrics: query.metrics.slice(0, 1), filters } }));
  const metrics = query.metrics.map((metric) => ({ metric, label: labelOf(query.view, metric) }));
  const create = useMutation({
    mutationFn: () => createAlert(project, { ...settingsOf(draft), dashboardId, tileId: tile.id }),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: ["alerts", project.id] });
      toast({ title: `${made.name} is watched`, action: { label: "All alerts", run: () => void navigate({ to: "/project/$projectId/alerts", params: { projectId: project.id } }) } });
      onClose();
    },
  });
  const note = [(query.dimensions ?? []).length > 0 && "Groups are not watched apart: the number is that of all rows together.", filters.length > 0 && `Only of rows with ${print(filters)}.`].filter(Boolean).join(" ");
  return <AlertForm title={`Alert on ${tile.title || "this tile"}`} action="Create alert" note={note} metrics={metrics} draft={draft} onChange={setDraft} onClose={onClose} onSubmit={() => create.mutate()} busy={create.isPending} error={create.error} />;
}
