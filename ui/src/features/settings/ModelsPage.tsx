import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { modelsQuery } from "./models/api";
import type { Model } from "./models/definition";
import { DeleteModel } from "./models/DeleteModel";
import { type Draft, draftOf, emptyDraft } from "./models/draft";
import { isSearched } from "./models/match";
import { MatchTester } from "./models/MatchTester";
import { ModelDialog } from "./models/ModelDialog";
import { type ModelActions, ModelTable } from "./models/ModelTable";
import { UnpricedInbox } from "./models/UnpricedInbox";
import { RoleNote, Section } from "./Section";

const sources = [{ value: "all", label: "All" }, { value: "own", label: "Own" }, { value: "built-in", label: "Built in" }] as const;
type Source = (typeof sources)[number]["value"];

const step = 50;

/** What models cost: the project's own prices, the built-in ones, and models that were used without any. */
export function ModelsPage() {
  const project = useProject();
  const toast = useToast();
  const { data: models, error, isPending, refetch } = useQuery(modelsQuery(project));
  const [editing, setEditing] = useState<{ start: Draft; before?: Model } | null>(null);
  const [removing, setRemoving] = useState<Model | null>(null);
  const mayChange = allows(project.role, "ADMIN");
  const actions: ModelActions = {
    edit: (model: Model) => setEditing({ start: draftOf(model), before: model }),
    copy: (model: Model) => setEditing({ start: draftOf(model) }),
    remove: setRemoving,
  };
  const onSaved = ({ modelName }: Model) => {
    setEditing(null);
    toast({ kind: "ok", title: `${modelName} is saved`, detail: "Observations that arrive from now on have this price." });
  };
  return (
    <div className="flex max-w-6xl flex-col gap-4">
      <UnpricedInbox models={models} onAdd={(name) => setEditing({ start: emptyDraft(name) })} />
      <Section
        title="All models" description="The cost of an observation comes from the price that matches its model: your own before the built-in ones, of those the one that started last."
        actions={mayChange && <Button variant="primary" icon={Plus} disabled={models === undefined} onClick={() => setEditing({ start: emptyDraft() })}>Add price</Button>}
      >
        {!mayChange && <RoleNote>Prices are added and changed by those with the role ADMIN. You are {project.role} here.</RoleNote>}
        {error !== null && models === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact />}
        {isPending && <SkeletonRows rows={12} label="Loading models" />}
        {models !== undefined && <ModelList models={models} actions={mayChange ? actions : undefined} />}
      </Section>
      {editing !== null && <ModelDialog {...editing} models={models ?? []} onClose={() => setEditing(null)} onSaved={onSaved} />}
      {removing !== null && <DeleteModel model={removing} models={models ?? []} onClose={() => setRemoving(null)} />}
    </div>
  );
}

function ModelList({ models, actions }: { models: readonly Model[]; actions?: ModelActions }) {
  const [q, setQ] = useUrlState("q");
  const [source, setSource] = useUrlState("source", "all");
  const [rows, setRows] = useUrlState("rows", String(step));
  const found = useMemo(
    () => models.filter((model) => (source === "all" || (source === "own") !== model.isLangfuseManaged) && (q.trim() === "" || isSearched(model, q))).toSorted((a, b) => Number(a.isLangfuseManaged) - Number(b.isLangfuseManaged)),
    [models, source, q],
  );
  const most = Math.max(step, Number(rows) || step);
  return (
    <>
      <div className="grid items-start gap-x-4 gap-y-2 sm:grid-cols-2">
        <div className="flex flex-wrap items-end gap-2">
          <TextField label="Search" type="search" className="min-w-40 flex-1" value={q} onChange={setQ} placeholder="gpt-4o" />
          <SegmentedControl label="Which models" value={source as Source} onChange={setSource} segments={sources} />
        </div>
        <MatchTester models={models} />
      </div>
      <LiveRegion>{formatCount(found.length)} models</LiveRegion>
      {found.length === 0 ? <NothingFound q={q} source={source} /> : <ModelTable models={found.slice(0, most)} actions={actions} />}
      {found.length > most && (
        <p className="flex items-center gap-3 text-xs text-text-2">
          {formatCount(most)} of {formatCount(found.length)} <Button onClick={() => setRows(String(most + 200))}>Show more</Button>
        </p>
      )}
    </>
  );
}

function NothingFound({ q, source }: { q: string; source: string }) {
  if (q.trim() === "" && source === "own") {
    return <EmptyState title="No prices of your own">Add one for a model that the built-in list does not know, or that costs you something else.</EmptyState>;
  }
  return <EmptyState title="No model found">No name or pattern has “{q.trim()}” in it, and no pattern matches it. Search for less, or add a price for it.</EmptyState>;
}
