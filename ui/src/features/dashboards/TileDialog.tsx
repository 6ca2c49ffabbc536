import { type FormEvent, useId, useState } from "react";
import { newRequestId } from "@/shared/api/client";
import { parse } from "@/shared/filter/parse";
import { print } from "@/shared/filter/print";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { QueryBar } from "@/shared/ui/QueryBar";
import { Select } from "@/shared/ui/Select";
import { TextArea, TextField } from "@/shared/ui/TextField";
import { aggregationsOf, columnsOf, dimensions, labelOf, manyValued, measuresOf, type Metric, type View, views } from "./catalog";
import { MetricFields } from "./MetricFields";
import { isOverTime, keptQuery, kinds, type Scope, shapes, type Tile, type TileKind, type TileQuery } from "./model";
import { TileCard } from "./TileCard";

export interface TileDialogProps {
  /** Undefined: a new one. */
  tile: Tile | undefined;
  scope: Scope;
  onClose: () => void;
  onDone: (tile: Tile) => void;
}

const fresh: TileQuery = { view: "observations", metrics: [{ measure: "count", aggregation: "count" }], dimensions: [], filters: [] };

/** What a query must be to be shown by a kind: metrics and dimensions that are too many or too few are mended. */
function fitted(kind: TileKind, query: TileQuery): TileQuery {
  if (kind === "text") return query;
  const { dimensions: [least, most], metrics } = shapes[kind];
  const known = (query.dimensions ?? []).filter(({ field }) => dimensions[query.view][field] !== undefined && !(isOverTime(kind) && manyValued.has(field)));
  const groups = known.length < least ? [...known, { field: "name" }] : known.slice(0, most);
  const measures = measuresOf(query.view);
  const fit = (metric: Metric): Metric => {
    const measure = measures[metric.measure] !== undefined && !(kind === "histogram" && (metric.measure === "count" || measures[metric.measure]![1] === "text")) ? metric.measure : kind === "histogram" ? Object.keys(measures).find((one) => one === "latency" || one === "value") ?? "count" : "count";
    const allowed = aggregationsOf(query.view, measure, kind === "histogram");
    return { measure, aggregation: allowed.find((one) => one === metric.aggregation) ?? allowed[0]! };
  };
  return { ...query, metrics: query.metrics.slice(0, groups.length > 0 && isOverTime(kind) ? 1 : metrics).map(fit), dimensions: groups };
}

const sizes: Partial<Record<TileKind, [number, number]>> = { number: [3, 2], text: [4, 2], table: [12, 5] };

/** A tile as a form, with what it will look like. */
export function TileDialog({ tile, scope, onClose, onDone }: TileDialogProps) {
  const form = useId();
  const [title, setTitle] = useState(tile?.title ?? "");
  const [kind, setKind] = useState<TileKind>(tile?.kind ?? "line");
  const [text, setText] = useState(tile?.text ?? "");
  const [query, setQuery] = useState<TileQuery>(tile?.query ?? fresh);
  const [filter, setFilter] = useState(() => print(tile?.query?.filters ?? []));
  const [id] = useState(() => tile?.id ?? newRequestId().slice(0, 12));
  const [w, h] = tile === undefined ? (sizes[kind] ?? [6, 4]) : [tile.w, tile.h];
  const parsed = parse(filter, columnsOf(query.view));
  const shown = keptQuery(kind, { ...fitted(kind, query), filters: parsed.conditions });
  const made: Tile = { id, title: title.trim(), kind, x: tile?.x ?? 0, y: tile?.y ?? 0, w, h, ...(kind === "text" ? { text } : { query: shown }) };
  if (made.title === "" && kind !== "text") made.title = shown.metrics.map((metric) => labelOf(shown.view, metric)).join(", ");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (parsed.problems.length === 0 && parsed.search === "") onDone(made);
  };
  const most = kind === "text" ? 0 : shapes[kind].dimensions[1];
  const fieldOptions = Object.entries(dimensions[query.view]).map(([value, label]) => ({ value, label, disabled: isOverTime(kind) && manyValued.has(value) }));
  const setDimension = (at: number, field: string) => setQuery({ ...shown, dimensions: [...(shown.dimensions ?? []).slice(0, at), ...(field === "" ? [] : [{ field }]), ...(shown.dimensions ?? []).slice(at + 1)] });
  return (
    <Dialog
      open onOpenChange={onClose} size="wide" title={tile === undefined ? "New tile" : `Change ${tile.title || "tile"}`}
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary">{tile === undefined ? "Add tile" : "Change tile"}</Button></>}
    >
      <form id={form} className="grid gap-4 md:grid-cols-2" onSubmit={submit}>
        <TextField label="Title" value={title} onChange={setTitle} maxLength={200} placeholder={kind === "text" ? "" : made.title} />
        <Select label="Shown as" value={kind} onChange={setKind} options={Object.entries(kinds).map(([value, label]) => ({ value: value as TileKind, label }))} />
        {kind === "text" ? <TextArea label="Text, in Markdown" value={text} onChange={setText} rows={6} className="md:col-span-2" /> : (
          <>
            <Select label="Of" value={query.view} onChange={(view) => (setQuery({ ...shown, view, filters: [] }), setFilter(""))} options={Object.entries(views).map(([value, label]) => ({ value: value as View, label }))} />
            {most > 0 ? <Select label="By" value={shown.dimensions?.[0]?.field ?? ""} onChange={(field) => setDimension(0, field)} options={[...(shapes[kind].dimensions[0] === 0 ? [{ value: "", label: "Nothing: all together" }] : []), ...fieldOptions]} /> : <span />}
            {most > 1 && <Select label="And by" value={shown.dimensions?.[1]?.field ?? ""} onChange={(field) => setDimension(1, field)} options={[{ value: "", label: "Nothing else" }, ...fieldOptions]} />}
            <MetricFields view={query.view} histogram={kind === "histogram"} metrics={shown.metrics} most={(shown.dimensions ?? []).length > 0 && isOverTime(kind) ? 1 : shapes[kind].metrics} onChange={(metrics) => setQuery({ ...shown, metrics })} />
            <div className="flex flex-col gap-1 md:col-span-2"><span className="text-xs font-medium text-text-2">Only these</span><QueryBar label="Filter of the tile" value={filter} onCommit={setFilter} catalog={columnsOf(query.view)} placeholder={query.view === "observations" ? "Such as level:ERROR or type:GENERATION" : "Such as name:helpful or source:ANNOTATION"} /></div>
            {parsed.search !== "" && <Banner tone="warn" className="md:col-span-2">Words without a column are looked for in lists only. Write name:*…* instead of “{parsed.search}”.</Banner>}
            <div className="md:col-span-2"><TileCard tile={made} scope={scope} open={false} height={240} dashboardId="" onRange={() => undefined} tools={<span />} /></div>
          </>
        )}
      </form>
    </Dialog>
  );
}
