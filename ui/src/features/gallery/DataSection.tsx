import { ApiError } from "@/shared/api/errors";
import { formatCount, formatDuration } from "@/shared/lib/format";
import { Badge } from "@/shared/ui/Badge";
import { BarList } from "@/shared/ui/BarList";
import { Button } from "@/shared/ui/Button";
import { Chart } from "@/shared/ui/Chart";
import { CodeBlock } from "@/shared/ui/CodeBlock";
import { type DetailColumn, DetailTable } from "@/shared/ui/DetailTable";
import { Duration, Money, Tokens } from "@/shared/ui/Figures";
import { Id } from "@/shared/ui/Id";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { Panel } from "@/shared/ui/Panel";
import { AbsoluteTime, RelativeTime } from "@/shared/ui/RelativeTime";
import { ShortTable } from "@/shared/ui/ShortTable";
import { ScoreChip } from "@/shared/ui/ScoreChip";
import { HeatMap } from "@/shared/ui/HeatMap";
import { Histogram } from "@/shared/ui/Histogram";
import { Sparkline } from "@/shared/ui/Sparkline";
import { StatTile } from "@/shared/ui/StatTile";
import { TypeBadge, TypeIcon, typeLooks } from "@/shared/ui/TypeIcon";
import { ChangedText } from "@/shared/diff/ChangedText";
import { Section, Specimen } from "./Section";

const start = Date.parse("2026-11-14T00:00:00Z") / 1000;
const hours = Array.from({ length: 24 }, (_, hour) => start + hour * 3600);
const wave = (base: number, swing: number) => hours.map((_, hour) => Math.round(base + swing * Math.sin(hour / 3)));
const counts = [{ label: "Default", values: wave(400, 200) }, { label: "Warning", values: wave(40, 20), color: "warn" }, { label: "Error", values: wave(20, 15), color: "danger" }];
const latency = [{ label: "p50", values: wave(800, 200).map((value, hour) => (hour === 9 || hour === 10 ? null : value)) }, { label: "p95", values: wave(2400, 900) }];
const people = [{ name: "Ada Lovelace", role: "OWNER" }, { name: "Mary Somerville", role: "VIEWER" }];
const peopleColumns = [
  { header: "Name", cell: ({ name }: (typeof people)[number]) => name },
  { header: "Role", cell: ({ role }: (typeof people)[number]) => <Badge>{role}</Badge> },
  { header: "Actions", headerHidden: true, cell: ({ name }: (typeof people)[number]) => <Button>Change…<span className="sr-only"> {name}</span></Button> },
];
const models = [["gpt-4.1", 12_304], ["claude-sonnet-4", 8_211], ["gemini-2.5-pro", 402]] as const;

const modelColumns: DetailColumn<(typeof models)[number]>[] = [
  { id: "model", header: "Model", lead: true, cell: ([name]) => name },
  { id: "observations", header: "Observations", align: "end", cell: ([, count]) => formatCount(count) },
];

export function DataSection() {
  return (
    <Section title="Data">
      <Specimen title="TypeIcon, TypeBadge, LevelIcon">
        {Object.keys(typeLooks).map((type) => <TypeBadge key={type} type={type} />)}
        <TypeIcon type="AGENT" size={18} /><LevelIcon level="ERROR" /><LevelIcon level="WARNING" /><LevelIcon level="DEBUG" />
      </Specimen>
      <Specimen title="RelativeTime, Duration, Money, Tokens, Id">
        <RelativeTime value={start * 1000} /> · <AbsoluteTime value={start * 1000} millis /> · <Duration ms={1234.5} /> · <Duration ms={null} /> · <Money amount="0.00042" /> · <Money amount="1234.5" /> · <Tokens count={6_120_000} /> · <Id value="0af7651916cd43dd8448eb211c80319c" label="trace id" />
      </Specimen>
      <Specimen title="ScoreChip">
        <ScoreChip score={{ name: "helpfulness", dataType: "NUMERIC", value: 0.7418769 }} /><ScoreChip score={{ name: "correct", dataType: "BOOLEAN", value: true }} /><ScoreChip score={{ name: "tone", dataType: "CATEGORICAL", value: "friendly" }} /><ScoreChip score={{ name: "remark", dataType: "TEXT", value: "Answers the question, but forgets to name the plan that it is about." }} />
      </Specimen>
      <Specimen title="ChangedText"><ChangedText label="Changes" before="Orders ship the next day." after="Orders ship within two days, by post." /></Specimen>
      <div className="grid gap-4 md:grid-cols-3">
        <Panel title="Latest errors" aside="3 of 12"><p className="px-4 pb-3 text-sm">What a panel holds.</p></Panel>
        <Panel title="Panel that loads" pending>{null}</Panel>
        <Panel title="Panel that failed" error={new ApiError(422, "The range has too many rows.", undefined, "TK7V2C4Q9P1B")} onRetry={() => undefined}>{null}</Panel>
      </div>
      <div className="grid grid-cols-2 gap-4 md:grid-cols-4">
        <StatTile label="Traces" value="12,304" delta="+12 %"><Sparkline values={wave(5, 3)} label="Traces by hour, between 2 and 8" /></StatTile>
        <StatTile label="Errors" value="1.2 %" delta="+0.4 %" deltaTone="bad"><Sparkline values={[1, 2, null, 4, null, 3, 2]} label="Share of errors, with gaps" /></StatTile>
        <StatTile label="Latency p95" value="2.31 s" delta="−8 %" deltaTone="good" />
        <StatTile label="Cost" value="" loading />
      </div>
      <div className="grid gap-6 md:grid-cols-2">
        <Chart title="Observations by level" times={hours} series={counts} kind="bars" stacked format={formatCount} />
        <Chart title="Latency" times={hours} series={latency} format={formatDuration} partialLast />
        <Histogram title="Latencies" bins={[[0, 200, 4], [200, 500, 12], [500, 1200, 7], [1200, 4000, 2]].map(([lower, upper, height]) => ({ lower: lower!, upper: upper!, height: height! }))} format={formatDuration} onBin={() => undefined} />
        <HeatMap title="Calls by level" times={hours} series={counts} format={formatCount} height={96} onPoint={() => undefined} />
        <div className="flex flex-col gap-2"><h3 className="text-sm font-medium">Models</h3><BarList label="Observations by model" bars={models.map(([key, value]) => ({ key, label: key, value, text: formatCount(value) }))} onSelect={() => undefined} /></div>
        <div className="flex flex-col gap-2"><h3 className="text-sm font-medium">ShortTable, narrow</h3><ShortTable label="People" columns={peopleColumns} rows={people} keyOf={({ name }) => name} /></div>
        <CodeBlock title=".env" code={"SONDE_PUBLIC_KEY=pk-lf-1\nSONDE_SECRET_KEY=sk-lf-1\nSONDE_BASE_URL=https://sonde.example.com"} />
      </div>
      <Specimen title="ShortTable"><div className="w-full"><ShortTable label="People with room" columns={peopleColumns} rows={people} keyOf={({ name }) => name} /></div></Specimen>
      <DetailTable label="Models with details" columns={modelColumns} rows={models} keyOf={([name]) => name} nameOf={([name]) => name} details={([name]) => `All that is known of ${name}.`} />
    </Section>
  );
}
