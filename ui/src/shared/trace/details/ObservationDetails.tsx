import type { ReactNode } from "react";
import { formatDuration, none } from "@/shared/lib/format";
import { absoluteTime } from "@/shared/lib/time";
import { useTimeZone } from "@/shared/lib/preferences";
import { Money, Tokens } from "@/shared/ui/Figures";
import { Id } from "@/shared/ui/Id";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { Tabs } from "@/shared/ui/Tabs";
import { TypeBadge } from "@/shared/ui/TypeIcon";
import type { TraceRows } from "../rows";
import type { TraceSource } from "../source";
import { startText } from "../view/LaneBar";
import { PartPanel } from "./PartPanel";

/** A tab that the page adds to those of every observation. */
export interface DetailTab {
  value: string;
  label: string;
  panel: ReactNode;
}

export interface ObservationDetailsProps {
  source: TraceSource;
  rows: TraceRows;
  row: number;
  /** Its id. Texts are read by it, so it may lag behind while rows are chosen quickly. */
  observationId: string;
  tab: string;
  onTab: (tab: string) => void;
  /** The form of its texts, if one was chosen. */
  format: string | undefined;
  onFormat: (format: string) => void;
  more: readonly DetailTab[];
}

const own = [
  { value: "io", label: "I/O" },
  { value: "metadata", label: "Metadata" },
];

/** What is known of one observation: its figures at once, its texts as they come. */
export function ObservationDetails({ source, rows, row, observationId, tab, onTab, format, onFormat, more }: ObservationDetailsProps) {
  const tabs = [...own, ...more];
  const chosen = tabs.find(({ value }) => value === tab)?.value ?? "io";
  const part = { source, observationId, format, onFormat };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Figures rows={rows} row={row} />
      <Tabs label="Details" value={chosen} onChange={onTab} tabs={tabs} className="min-h-0 flex-1" panelClassName="flex flex-col gap-3 p-3">
        {chosen === "io" && <><PartPanel key={`${observationId} input`} {...part} part="input" /><PartPanel key={`${observationId} output`} {...part} part="output" /></>}
        {chosen === "metadata" && <PartPanel key={`${observationId} metadata`} {...part} part="metadata" />}
        {more.find(({ value }) => value === chosen)?.panel}
      </Tabs>
    </div>
  );
}

function Figures({ rows, row }: { rows: TraceRows; row: number }) {
  const [zone] = useTimeZone();
  const cost = rows.costs.at(row);
  const started = new Date(Date.parse(rows.head.startTime) + rows.start[row]!);
  return (
    <header className="shrink-0 px-3 pt-3 pb-2">
      <div className="flex min-w-0 items-center gap-2">
        <h2 className="min-w-0 truncate text-lg font-semibold">{rows.nameOf(row)}</h2>
        <LevelIcon level={rows.head.levels[rows.level[row]!] ?? ""} />
        <TypeBadge type={rows.typeOf(row)} />
      </div>
      <dl className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(96px,1fr))] gap-x-3 gap-y-2">
        <Fact name="Latency">{rows.duration[row]! < 0 ? none : formatDuration(rows.duration[row])}</Fact>
        <Fact name="Starts at"><span title={absoluteTime(started, zone, true)}>{startText(rows, row)}</span></Fact>
        <Fact name="First token">{rows.firstToken[row]! < 0 ? none : formatDuration(rows.firstToken[row])}</Fact>
        <Fact name="Tokens"><Tokens count={rows.total[row]! < 0 ? null : rows.total[row]} /></Fact>
        <Fact name="Cost"><Money amount={cost === "" ? null : cost} /></Fact>
        <Fact name="Model">{rows.modelOf(row) ?? none}</Fact>
        <Fact name="Id"><Id value={rows.ids.at(row)} label="observation id" /></Fact>
      </dl>
    </header>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-2xs text-text-3">{name}</dt>
      <dd className="truncate text-xs">{children}</dd>
    </div>
  );
}
