import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link2, Plus, Save, Star, Trash2 } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { sessionQuery } from "@/shared/api/session";
import { copyText } from "@/shared/lib/copy";
import { Menu, MenuItem, MenuLabel, MenuLine } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";
import type { ListState } from "./listState";
import { changeView, deleteView, plain, type SavedView, searchOf, stateOf } from "./savedViews";
import { useCurrentView, useViews } from "./useViews";

const SaveViewDialog = lazy(async () => ({ default: (await import("./SaveViewDialog")).SaveViewDialog }));

/** Views of this list: open one, keep the present one, share it. */
export function SavedViewMenu({ state, trigger }: { state: ListState; trigger: ReactNode }) {
  const project = useProject();
  const navigate = useNavigate();
  const client = useQueryClient();
  const toast = useToast();
  const [naming, setNaming] = useState(false);
  const views = useViews(project, state.table);
  const { current, modified } = useCurrentView(project, state.search);

  const changed = (title: string) => {
    toast({ title });
    void client.invalidateQueries({ queryKey: ["saved-views", project.id] });
    void client.invalidateQueries({ queryKey: ["saved-view", project.id] });
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey }); // it names the default views
  };
  const change = useMutation({
    mutationFn: ({ view, patch }: { view: SavedView; patch: Partial<SavedView> }) => changeView(project, view.id, { ...view, ...patch }),
    onSuccess: (view) => changed(`Saved ${view.name}`),
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  const remove = useMutation({
    mutationFn: (view: SavedView) => deleteView(project, view.id),
    onSuccess: (_, view) => (state.update({ view: undefined }), changed(`Deleted ${view.name}`)),
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  const open = (view: SavedView) => void navigate({ to: ".", search: searchOf(view) as never });
  const share = (view: SavedView) => void copyText(new URL(`?view=${encodeURIComponent(view.id)}`, location.href).href).then(() => toast({ title: "Link copied" }));
  const mayWrite = allows(project.role, "MEMBER");
  return (
    <>
      <Menu align="start" className="w-64" trigger={trigger} defaultOpen>
        {current !== undefined && (
          <>
            <MenuLabel>{current.name}</MenuLabel>
            {mayWrite && modified && <MenuItem icon={Save} onSelect={() => change.mutate({ view: current, patch: { state: stateOf(state.search) } })}>Save changes</MenuItem>}
            {modified && <MenuItem onSelect={() => open(current)}>Undo changes</MenuItem>}
            <MenuItem icon={Link2} onSelect={() => share(current)}>Copy link to view</MenuItem>
            {mayWrite && <MenuItem icon={Star} onSelect={() => change.mutate({ view: current, patch: { isDefault: !current.isDefault } })}>{current.isDefault ? "Do not start with it" : "Start with this view"}</MenuItem>}
            {mayWrite && <MenuItem icon={Trash2} danger onSelect={() => remove.mutate(current)}>Delete view</MenuItem>}
            <MenuLine />
          </>
        )}
        <ViewItems title="Mine" views={views.data?.filter((view) => !view.shared)} onOpen={open} />
        <ViewItems title="Of the project" views={views.data?.filter((view) => view.shared)} onOpen={open} />
        {views.data?.length === 0 && <MenuLabel>No views are saved yet.</MenuLabel>}
        {views.error !== null && <MenuLabel>{describeError(views.error).message}</MenuLabel>}
        <MenuLine />
        <MenuItem onSelect={() => void navigate({ to: ".", search: { view: plain } as never })}>Plain list</MenuItem>
        {mayWrite && <MenuItem icon={Plus} onSelect={() => setNaming(true)}>Save as a new view…</MenuItem>}
      </Menu>
      {naming && <Suspense><SaveViewDialog state={state} onClose={() => setNaming(false)} onSaved={(view) => (setNaming(false), changed(`Saved ${view.name}`), open(view))} /></Suspense>}
    </>
  );
}

function ViewItems({ title, views, onOpen }: { title: string; views: readonly SavedView[] | undefined; onOpen: (view: SavedView) => void }) {
  if (views === undefined || views.length === 0) return null;
  return (
    <>
      <MenuLabel>{title}</MenuLabel>
      {views.map((view) => <MenuItem key={view.id} icon={view.isDefault ? Star : undefined} onSelect={() => onOpen(view)}>{view.name}</MenuItem>)}
    </>
  );
}
