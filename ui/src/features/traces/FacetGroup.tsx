import { useQuery } from "@tanstack/react-query";
import { Ban, ChevronRight } from "lucide-react";
import { useState } from "react";
import { useProject } from "@/shared/api/project";
import { keyTreatmentOf, namedValues, treat, treatKey, type Treatment, treatmentOf } from "@/shared/filter/edit";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import { toggleColumn } from "@/shared/table/columns";
import { Checkbox } from "@/shared/ui/Checkbox";
import { ErrorState } from "@/shared/ui/ErrorState";
import { inputClass } from "@/shared/ui/Field";
import { IconButton } from "@/shared/ui/IconButton";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { TypeIcon } from "@/shared/ui/TypeIcon";
import { countable, loadFacets } from "./api";
import { scoreColumnId } from "./columns";
import type { ListState } from "./listState";
import { useColumns } from "./useColumns";

interface Value {
  value: string | null;
  count: number;
}

export interface FacetGroupProps {
  state: ListState;
  field: string;
  title: string;
  values: readonly Value[];
  openFirst: boolean;
}

const shownFirst = 6;

/** One column of the sidebar: its values with counts, each of which the query can include or exclude. */
export function FacetGroup({ state, field, title, values, openFirst }: FacetGroupProps) {
  const [open, setOpen] = useState(openFirst);
  const [all, setAll] = useState(false);
  const active = state.query.conditions.some(({ column }) => column === field);
  const expanded = open || active;
  return (
    <section aria-label={title} className="border-b border-line">
      <h3>
        <button type="button" aria-expanded={expanded} className="flex h-8 w-full items-center gap-1 px-2 text-xs font-medium hover:bg-surface pointer-coarse:h-11" onClick={() => setOpen(!expanded)}>
          <ChevronRight size={14} aria-hidden className={cx("text-text-3 transition-transform duration-120", expanded && "rotate-90")} />
          {title}
          {active && <span className="ml-1 size-1.5 rounded-full bg-accent"><span className="sr-only">filtered</span></span>}
        </button>
      </h3>
      {expanded && (all ? <AllValues state={state} field={field} title={title} onLess={() => setAll(false)} /> : <FewValues state={state} field={field} values={values} active={active} onMore={() => setAll(true)} />)}
    </section>
  );
}

function FewValues({ state, field, values, active, onMore }: { state: ListState; field: string; values: readonly Value[]; active: boolean; onMore: () => void }) {
  // What the query names stays in sight, so that it can be taken back also when no row has it.
  const missing = namedValues(state.query, field).filter((named) => !values.some(({ value }) => value === named)).map((value) => ({ value, count: 0 }));
  return (
    <>
      <ValueList state={state} field={field} values={[...missing, ...values.slice(0, shownFirst)]} />
      {/* Counts are under the whole query, so a group that is filtered knows its own values only. */}
      {(values.length > shownFirst || active) && (
        <button type="button" className="min-h-6 px-7 pb-1 text-xs text-accent hover:underline pointer-coarse:min-h-11" onClick={onMore}>{active ? "Other values…" : "More…"}</button>
      )}
    </>
  );
}

/** Up to 100 values, counted as if the query said nothing of this column. */
function AllValues({ state, field, title, onLess }: { state: ListState; field: string; title: string; onLess: () => void }) {
  const project = useProject();
  const [text, setText] = useState("");
  const { asked } = state;
  const others = asked && countable({ ...asked, conditions: asked.conditions.filter(({ column }) => column !== field) }).query;
  const { data, error, refetch } = useQuery({
    queryKey: ["facets", project.id, others, field],
    enabled: others !== null,
    queryFn: ({ signal }) => loadFacets(project, others!, [field], 100, { signal }),
  });
  const found = (data?.values[field] ?? []).filter(({ value }) => (value ?? "(none)").toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <div className="px-2 py-1"><input className={inputClass()} aria-label={`Find in ${title}`} placeholder="Find a value" value={text} onChange={(event) => setText(event.target.value)} /></div>
      {error !== null && <ErrorState error={error} compact onRetry={() => void refetch()} />}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <div tabIndex={0} role="group" aria-label={`Values of ${title}`} className="max-h-72 overflow-auto"><ValueList state={state} field={field} values={found} /></div>
      <button type="button" className="min-h-6 px-7 pb-1 text-xs text-accent hover:underline pointer-coarse:min-h-11" onClick={onLess}>Fewer</button>
    </>
  );
}

function ValueList({ state, field, values }: { state: ListState; field: string; values: readonly Value[] }) {
  if (values.length === 0) return <p className="px-7 pb-2 text-xs text-text-3">No values</p>;
  return (
    <ul className="pb-1">
      {values.map((one) => <ValueRow key={one.value ?? "\0"} state={state} field={field} {...one} />)}
    </ul>
  );
}

function ValueRow({ state, field, value, count }: Value & { state: ListState; field: string }) {
  const label = value ?? "(none)";
  if (field === "scoreNames") return <ScoreName state={state} name={value} count={count} />;
  const treatment = field === "metadataKeys" ? keyTreatmentOf(state.query, label) : treatmentOf(state.query, field, value);
  const set = (next: Treatment) => state.setQuery(field === "metadataKeys" ? treatKey(state.q, label, next) : treat(state.q, field, value, next));
  return (
    <li className="group/value flex min-h-7 items-center gap-1 pr-1 pl-7 hover:bg-surface pointer-coarse:min-h-11">
      <Checkbox className="min-w-0 flex-1" checked={treatment === "include"} aria-label={`Only ${label}`} onChange={(checked) => set(checked ? "include" : undefined)}>
        <span className={cx("flex items-center gap-1.5", treatment === "exclude" && "text-text-3 line-through")} title={label}>
          {field === "type" && <TypeIcon type={label} named={false} />}
          {field === "level" && <span aria-hidden className="contents"><LevelIcon level={label} /></span>}
          <span className="truncate">{label}</span>
        </span>
      </Checkbox>
      <IconButton
        icon={Ban} label={treatment === "exclude" ? `Do not exclude ${label}` : `Exclude ${label}`} aria-pressed={treatment === "exclude"}
        className={cx("size-6 pointer-coarse:size-11", treatment === "exclude" ? "text-danger" : "opacity-0 group-hover/value:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100")}
        iconClassName="size-3.5" onClick={() => set(treatment === "exclude" ? undefined : "exclude")}
      />
      <Count count={count} />
    </li>
  );
}

/** The API has no condition on scores; what a name can do is become a column. */
function ScoreName({ state, name, count }: { state: ListState; name: string | null; count: number }) {
  const { shown, setShown } = useColumns(state);
  const id = scoreColumnId(name ?? "");
  return (
    <li className="flex min-h-7 items-center gap-2 pr-1 pl-7 text-xs pointer-coarse:min-h-11">
      {name === null ? <span className="flex-1 pl-6">(none)</span> : (
        <Checkbox className="min-w-0 flex-1" checked={shown.some((column) => column.id === id)} aria-label={`Column of ${name}`} onChange={() => setShown(toggleColumn(shown, id))}><span className="block truncate" title={`Show ${name} as a column`}>{name}</span></Checkbox>
      )}
      <Count count={count} />
    </li>
  );
}

function Count({ count }: { count: number }) {
  return <span className="min-w-8 shrink-0 text-right text-2xs text-text-3">{formatCount(count)}</span>;
}
