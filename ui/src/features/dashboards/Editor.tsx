import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { Plus, Save } from "lucide-react";
import { useState } from "react";
import { useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { TextField } from "@/shared/ui/TextField";
import { dashboardQuery, listQuery, saveDashboard } from "./api";
import { Grid, type GridProps } from "./Grid";
import { add, compact, remove } from "./layout";
import type { Dashboard, Tile } from "./model";
import { TileDialog } from "./TileDialog";

export interface EditorProps {
  dashboard: Dashboard;
  grid: Omit<GridProps, "tiles" | "edit">;
  /** With the dashboard as it was stored, or null when nothing was. */
  onDone: (saved: Dashboard | null) => void;
}

/** A dashboard that is being changed. Nothing is stored before it is saved. */
export function Editor({ dashboard, grid, onDone }: EditorProps) {
  const project = useProject();
  const queries = useQueryClient();
  const [draft, setDraft] = useState({ ...dashboard, tiles: compact(dashboard.tiles) });
  const [changed, setChanged] = useState(false);
  const [said, setSaid] = useState("");
  const [edited, setEdited] = useState<Tile | "new" | null>(null);
  const change = (patch: Partial<Dashboard>) => {
    setDraft({ ...draft, ...patch });
    setChanged(true);
  };
  const save = useMutation({
    mutationFn: () => saveDashboard(project, draft),
    onSuccess: (saved) => {
      queries.setQueryData(dashboardQuery(project, saved.id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: listQuery(project).queryKey, exact: true });
      onDone(saved);
    },
  });
  const unsaved = changed && !save.isSuccess;
  useBlocker({ shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname && !confirm("Leave without saving the changes of this dashboard?"), enableBeforeUnload: unsaved });
  const put = (tile: Tile) => {
    const known = draft.tiles.some(({ id }) => id === tile.id);
    change({ tiles: known ? draft.tiles.map((one) => (one.id === tile.id ? tile : one)) : add(draft.tiles, tile) });
    setEdited(null);
    setSaid(known ? `${tile.title} changed` : `${tile.title} added`);
  };
  return (
    <>
      <div className="flex flex-wrap items-end gap-3 rounded-lg border border-line bg-surface p-3">
        <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} required maxLength={200} className="w-56 max-sm:w-full" />
        <TextField label="Description" value={draft.description} onChange={(description) => change({ description })} maxLength={2000} className="min-w-48 flex-1" />
        <Button icon={Plus} onClick={() => setEdited("new")}>Add tile</Button>
        <Button onClick={() => onDone(null)}>Cancel</Button>
        <Button icon={Save} variant="primary" busy={save.isPending} disabled={draft.name.trim() === ""} onClick={() => save.mutate()}>Save</Button>
      </div>
      {save.error !== null && <ErrorState compact error={save.error} />}
      <LiveRegion>{said}</LiveRegion>
      {draft.tiles.length === 0 && <EmptyState title="No tiles yet" actions={<Button icon={Plus} variant="primary" onClick={() => setEdited("new")}>Add tile</Button>} />}
      <Grid
        {...grid} tiles={draft.tiles}
        edit={{ onLayout: (tiles, text) => { change({ tiles }); setSaid(text); }, onEdit: setEdited, onRemove: (tile) => { change({ tiles: remove(draft.tiles, tile.id) }); setSaid(`${tile.title} removed`); } }}
      />
      {edited !== null && <TileDialog tile={edited === "new" ? undefined : edited} scope={grid.scope} onClose={() => setEdited(null)} onDone={put} />}
    </>
  );
}
