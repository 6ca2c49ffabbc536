import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeftRight, GitCompareArrows } from "lucide-react";
import { type ReactNode, useCallback, useMemo } from "react";
import { useProject } from "@/shared/api/project";
import { formatCount, formatDuration, formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { useMedia } from "@/shared/lib/useMedia";
import { useUrlState } from "@/shared/lib/useUrlState";
import { DataTable } from "@/shared/table/DataTable";
import { type LoadedTrace, traceQuery } from "@/shared/trace/loadTrace";
import type { TraceRows } from "@/shared/trace/rows";
import { ofProject } from "@/shared/trace/source";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { Sheet } from "@/shared/ui/Sheet";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { Switch } from "@/shared/ui/Switch";
import { card, changes, known, nameOf, PairContext, shown } from "./columns";
import { DiffDetails } from "./DiffDetails";
import { countChanges, moneyBetween, onlyChanges, type Pair, type Place, placesOf, signed } from "./places";

/** Two traces side by side: what came, what went, and what took longer. Other pages link here by the address alone. */
export function DiffPage() {
  const { id: projectId } = useProject();
  const [a] = useUrlState("a");
  const [b] = useUrlState("b");
  const first = useQuery({ ...traceQuery(ofProject(projectId, a)), enabled: a !== "" });
  const second = useQuery({ ...traceQuery(ofProject(projectId, b)), enabled: b !== "" });
  if (a === "" || b === "") return <Frame><Choose /></Frame>;
  const error = first.error ?? second.error;
  if (error !== null) return <Frame><ErrorState error={error} onRetry={() => void Promise.all([first.refetch(), second.refetch()])} /></Frame>;
  if (!isWhole(first.data) || !isWhole(second.data)) return <Frame><SkeletonRows rows={16} label="Loading both traces" /></Frame>;
  return <Compared key={`${a} ${b}`} a={first.data.rows} b={second.data.rows} />;
}

const isWhole = (loaded: LoadedTrace | undefined): loaded is LoadedTrace => loaded?.complete === true;

function Frame({ children }: { children: ReactNode }) {
  return <div className="flex h-full min-h-0 flex-col"><PageHeader title="Compare traces" />{children}</div>;
}

function Choose() {
  return <EmptyState icon={GitCompareArrows} title="Choose two traces">Select two rows in the list of traces and choose “Compare”, or open a trace and choose “Compare with…” in its menu.</EmptyState>;
}

function Compared({ a, b }: Pair) {
  const pair = useMemo(() => ({ a, b }), [a, b]);
  const navigate = useNavigate();
  const [row, setRow] = useUrlState("row");
  const [only, setOnly] = useUrlState("only");
  const phone = useMedia("(max-width: 639px)");
  const wide = useMedia("(min-width: 1200px)");
  const all = useMemo(() => placesOf(pair), [pair]);
  const counts = useMemo(() => countChanges(all), [all]);
  const places = useMemo(() => (only === "changes" ? onlyChanges(all) : all), [all, only]);
  const rows = useMemo(() => ({ first: 0, list: places, more: false }), [places]);
  const chosen = all.find(({ key }) => key === row);
  const open = useCallback(({ key }: Place) => setRow(key), [setRow]);
  const swap = () => void navigate({ to: ".", search: { a: b.head.id, b: a.head.id } as never });
  const name = (place: Place) => `${nameOf(pair, place)}, ${changes[place.change].label}`;
  return (
    <PairContext value={pair}>
      <div className="flex h-full min-h-0 flex-col">
        <PageHeader title="Compare traces" actions={<><Switch checked={only === "changes"} onChange={(on) => setOnly(on ? "changes" : "")}>Only what differs</Switch><IconButton icon={ArrowLeftRight} label="Exchange A and B" onClick={swap} /></>}>
          <span role="status" className="text-xs text-text-2">{formatCount(counts.changed)} changed, {formatCount(counts.added)} added, {formatCount(counts.removed)} removed, {formatCount(counts.same)} the same</span>
        </PageHeader>
        <Sides pair={pair} />
        <div className="flex min-h-0 flex-1">
          <DataTable
            label="Observations of both traces" known={known} shown={shown} card={phone ? card : undefined} rows={rows} keyOf={keyOf} nameOf={name} total={places.length} open={row || undefined} onOpen={open} onPeek={open}
            instead={places.length > 0 ? undefined : <EmptyState title={all.length === 0 ? "Both traces are empty" : "Nothing differs"}>{all.length > 0 && "Names, models, levels, tokens and costs are the same in both. Texts are compared when a row is opened."}</EmptyState>}
          />
          {wide && (
            <aside aria-label="Details" className="flex w-[38%] min-w-80 shrink-0 flex-col border-l border-line">
              {chosen === undefined ? <EmptyState title="Choose a row">Its inputs and outputs are compared here, message by message.</EmptyState> : <DiffDetails pair={pair} place={chosen} />}
            </aside>
          )}
        </div>
        {!wide && <Sheet open={chosen !== undefined} onOpenChange={(isOpen) => !isOpen && setRow("")} title="Details" side="bottom"><div className="h-dvh overflow-auto">{chosen !== undefined && <DiffDetails pair={pair} place={chosen} />}</div></Sheet>}
      </div>
    </PairContext>
  );
}

const keyOf = ({ key }: Place) => key;

/** Both traces as a whole. */
function Sides({ pair: { a, b } }: { pair: Pair }) {
  const time = (rows: TraceRows) => Date.parse(rows.head.endTime) - Date.parse(rows.head.startTime);
  const slower = time(b) - time(a);
  const tokens = b.head.totalTokens - a.head.totalTokens;
  const cost = moneyBetween(a.head.totalCost, b.head.totalCost).delta;
  return (
    <div className="grid shrink-0 gap-x-6 gap-y-1 border-b border-line px-4 py-2 text-xs sm:grid-cols-[1fr_1fr_auto]">
      <Side label="A" rows={a} /><Side label="B" rows={b} />
      <dl className="flex flex-wrap items-center gap-x-4 text-text-2">
        <Delta name="Δ time" text={signed(formatDuration(slower), slower < 0, slower === 0)} />
        <Delta name="Δ tokens" text={signed(formatTokens(tokens), tokens < 0, tokens === 0)} />
        <Delta name="Δ cost" text={cost === null ? "–" : signed(formatMoney(cost), cost.startsWith("-"), Number(cost) === 0)} />
      </dl>
    </div>
  );
}

function Delta({ name, text }: { name: string; text: string }) {
  return <div className="flex gap-1.5 whitespace-nowrap"><dt>{name}</dt><dd className="font-medium text-text">{text}</dd></div>;
}

function Side({ label, rows: { head } }: { label: string; rows: TraceRows }) {
  const { id: projectId } = useProject();
  return (
    <p className="flex min-w-0 items-center gap-2">
      <span className="font-semibold">{label}</span>
      <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: head.id }} search={{} as never} className="inline-flex min-h-6 min-w-0 items-center text-accent hover:underline"><span className="truncate">{head.name || head.id}</span></Link>
      <AbsoluteTime value={head.startTime} className="whitespace-nowrap text-text-3" />
    </p>
  );
}
