import { Equal, type LucideIcon, Minus, PencilLine, Plus } from "lucide-react";
import { createContext, use } from "react";
import { cx } from "@/shared/lib/classes";
import { formatDuration, formatTokens, none } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import type { Column } from "@/shared/table/columns";
import type { Change } from "@/shared/trace/align";
import { TypeIcon } from "@/shared/ui/TypeIcon";
import { costOf, durationOf, type Pair, type Place, signed, tokensOf } from "./places";

/** Cells find the traces here. */
export const PairContext = createContext<Pair | null>(null);

export const changes: Record<Change, { icon: LucideIcon; label: string; tone: string }> = {
  same: { icon: Equal, label: "same", tone: "text-text-3" },
  changed: { icon: PencilLine, label: "changed", tone: "text-warn" },
  added: { icon: Plus, label: "added", tone: "text-ok" },
  removed: { icon: Minus, label: "removed", tone: "text-danger" },
};

function ChangeMark({ change }: { change: Change }) {
  const { icon: Icon, label, tone } = changes[change];
  return <span className={cx("inline-flex items-center gap-1", tone)}><Icon size={14} aria-hidden />{label}</span>;
}

const deepest = 12;

export function nameOf({ a, b }: Pair, { left, right }: Place): string {
  const before = left < 0 ? undefined : a.nameOf(left);
  const after = right < 0 ? undefined : b.nameOf(right);
  return before !== undefined && after !== undefined && before !== after ? `${before} → ${after}` : (before ?? after ?? "");
}

export function typeOf({ a, b }: Pair, { left, right }: Place): string {
  return left < 0 ? b.typeOf(right) : a.typeOf(left);
}

function Name({ place }: { place: Place }) {
  const pair = use(PairContext)!;
  return (
    <span className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: `${Math.min(place.depth - 1, deepest) * 14}px` }}>
      <TypeIcon type={typeOf(pair, place)} />
      <span className="truncate" title={nameOf(pair, place)}>{nameOf(pair, place)}</span>
    </span>
  );
}

function BeforeAfter({ before, after }: { before: string; after: string }) {
  return <span className="truncate text-text-2">{before} <span aria-hidden>→</span><span className="sr-only">to</span> {after}</span>;
}

/** More is worse for time, tokens and cost; the sign says it, the color only helps. */
function Delta({ text, value }: { text: string; value: number }) {
  return <span className={cx("whitespace-nowrap", value > 0 ? "text-danger" : value < 0 ? "text-ok" : "text-text-3")}>{signed(text, value < 0, value === 0)}</span>;
}

function Time({ place, delta }: { place: Place; delta: boolean }) {
  const figure = durationOf(use(PairContext)!, place);
  if (!delta) return <BeforeAfter before={formatDuration(figure.before)} after={formatDuration(figure.after)} />;
  return figure.delta === null ? none : <Delta text={formatDuration(figure.delta)} value={figure.delta} />;
}

function TokensCell({ place }: { place: Place }) {
  const { delta } = tokensOf(use(PairContext)!, place);
  return delta === null ? none : <Delta text={formatTokens(delta)} value={delta} />;
}

function Cost({ place }: { place: Place }) {
  const { delta } = costOf(use(PairContext)!, place);
  return delta === null ? none : <Delta text={formatMoney(delta)} value={Number(delta)} />;
}

const columns: Column<Place>[] = [
  { id: "change", header: "Change", cell: ({ change }) => <ChangeMark change={change} />, width: 88 },
  { id: "name", header: "Observation", cell: (place) => <Name place={place} />, width: 176, grows: true },
  { id: "time", header: "Time", align: "end", cell: (place) => <Time place={place} delta={false} />, width: 128 },
  { id: "timeDelta", header: "Δ time", align: "end", cell: (place) => <Time place={place} delta />, width: 76 },
  { id: "tokens", header: "Δ tokens", align: "end", cell: (place) => <TokensCell place={place} />, width: 72 },
  { id: "cost", header: "Δ cost", align: "end", cell: (place) => <Cost place={place} />, width: 84 },
];

export const known: ReadonlyMap<string, Column<Place>> = new Map(columns.map((column) => [column.id, column]));
export const shown = columns.map(({ id }) => ({ id, pinned: false }));
export const card = {
  height: 52,
  column: {
    id: "card", header: "Observation", width: 0, grows: true,
    cell: (place: Place) => (
      <span className="flex min-w-0 flex-1 flex-col gap-0.5 px-1">
        <Name place={place} />
        <span className="flex gap-3"><ChangeMark change={place.change} /><Time place={place} delta /><Cost place={place} /></span>
      </span>
    ),
  },
};
