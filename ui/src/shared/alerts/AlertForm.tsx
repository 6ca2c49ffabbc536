import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId } from "react";
import { useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { Checkbox } from "@/shared/ui/Checkbox";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { NumberField } from "@/shared/ui/NumberField";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { type Alert, type AlertSettings, targetsQuery } from "./api";

export interface Metric {
  measure: string;
  aggregation: string;
}

interface AlertQuery {
  view: string;
  metrics: Metric[];
  filters: unknown[];
}

/** An alert while it is written. */
export interface AlertDraft {
  name: string;
  enabled: boolean;
  query: AlertQuery;
  kind: "threshold" | "absence" | "week-change";
  operator: string;
  limit: string;
  direction: string;
  window: number | null;
  every: number | null;
  targets: string[];
}

export function draftOf(from: { name: string; query: AlertQuery } | Alert): AlertDraft {
  const query = from.query as AlertQuery;
  if (!("condition" in from)) return { name: from.name, enabled: true, query, kind: "threshold", operator: ">", limit: "", direction: "any", window: 15, every: 5, targets: [] };
  const { kind, operator, limit, direction } = from.condition;
  return { name: from.name, enabled: from.enabled, query, kind, operator: operator ?? ">", limit: limit ?? "", direction: direction ?? "any", window: from.windowMinutes, every: from.everyMinutes, targets: from.targetIds };
}

export function settingsOf(draft: AlertDraft): AlertSettings {
  const { name, enabled, query, kind, operator, limit, direction, window, every, targets } = draft;
  const condition = kind === "threshold" ? { kind, operator, limit: limit.trim() } : kind === "week-change" ? { kind, limit: limit.trim(), direction } : { kind };
  return { name: name.trim(), enabled, query, condition, windowMinutes: window ?? 0, everyMinutes: every ?? 0, targetIds: targets };
}

export interface AlertFormProps {
  title: string;
  action: string;
  /** What counts, in words. */
  note: string;
  /** What the number may be. */
  metrics: readonly { metric: Metric; label: string }[];
  draft: AlertDraft;
  onChange: (draft: AlertDraft) => void;
  onClose: () => void;
  onSubmit: () => void;
  busy: boolean;
  error: unknown;
}

/** The settings of an alert as a form. */
export function AlertForm({ title, action, note, metrics, draft, onChange, onClose, onSubmit, busy, error }: AlertFormProps) {
  const project = useProject();
  const form = useId();
  const { data: targets } = useQuery(targetsQuery(project));
  const set = (patch: Partial<AlertDraft>) => onChange({ ...draft, ...patch });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onSubmit();
  };
  const chosen = Math.max(0, metrics.findIndex(({ metric }) => JSON.stringify(metric) === JSON.stringify(draft.query.metrics[0])));
  return (
    <Dialog open onOpenChange={onClose} title={title} description={note === "" ? undefined : note} footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={busy}>{action}</Button></>}>
      <form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} required maxLength={200} />
        {metrics.length > 1 && draft.kind !== "absence" && <Select label="Number" value={String(chosen)} onChange={(index) => set({ query: { ...draft.query, metrics: [metrics[Number(index)]!.metric] } })} options={metrics.map(({ label }, index) => ({ value: String(index), label }))} />}
        <Select
          label="Fires when" value={draft.kind} onChange={(kind) => set({ kind })}
          options={[{ value: "threshold", label: "it is above or below a limit" }, { value: "absence", label: "there is no row at all" }, { value: "week-change", label: "it changed against last week" }]}
        />
        {draft.kind !== "absence" && (
          <div className="grid grid-cols-2 gap-3">
            {draft.kind === "threshold" ? <Select label="It is" value={draft.operator} onChange={(operator) => set({ operator })} options={[{ value: ">", label: "above" }, { value: ">=", label: "at or above" }, { value: "<", label: "below" }, { value: "<=", label: "at or below" }]} /> : <Select label="It" value={draft.direction} onChange={(direction) => set({ direction })} options={[{ value: "any", label: "changed" }, { value: "up", label: "rose" }, { value: "down", label: "fell" }]} />}
            <TextField label={draft.kind === "threshold" ? limitLabel(draft.query.metrics[0]) : "By at least, in percent"} value={draft.limit} onChange={(limit) => set({ limit })} required inputMode="decimal" pattern="-?[0-9]+([.][0-9]+)?" />
          </div>
        )}
        <div className="grid grid-cols-2 gap-3">
          <NumberField label="Over the last" unit="minutes" value={draft.window} onChange={(window) => set({ window })} min={1} max={10080} required />
          <NumberField label="Evaluated every" unit="minutes" value={draft.every} onChange={(every) => set({ every })} min={1} max={1440} required />
        </div>
        <fieldset className="flex flex-col gap-2">
          <legend className="pb-1 text-xs font-medium text-text-2">Who is told of changes</legend>
          {targets?.length === 0 && <p className="text-xs text-text-2">There are no targets yet; admins add them on the page of alerts. The state is kept there anyway.</p>}
          {targets?.map(({ id, name, kind }) => <Checkbox key={id} checked={draft.targets.includes(id)} onChange={(on) => set({ targets: on ? [...draft.targets, id] : draft.targets.filter((one) => one !== id) })}>{name} ({kind})</Checkbox>)}
        </fieldset>
        {error !== null && <ErrorState compact error={error} className="p-0!" />}
      </form>
    </Dialog>
  );
}

/** Metrics have units that a limit must be in. */
function limitLabel(metric: Metric | undefined): string {
  if (metric === undefined || metric.aggregation === "count" || metric.aggregation === "uniq") return "Limit";
  if (/latency|timeToFirstToken/i.test(metric.measure)) return "Limit, in milliseconds";
  return /cost/i.test(metric.measure) ? "Limit, in US dollars" : "Limit";
}
