import { lazy, type ReactNode, Suspense } from "react";
import { type DetailTab, ObservationDetails } from "@/shared/trace/details/ObservationDetails";
import type { TraceRows } from "@/shared/trace/rows";
import type { TraceSource } from "@/shared/trace/source";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { Tabs } from "@/shared/ui/Tabs";
import { TraceFacts } from "./TraceFacts";

const ScoresPanel = lazy(async () => ({ default: (await import("./details/ScoresPanel")).ScoresPanel }));
const CommentsPanel = lazy(async () => ({ default: (await import("./details/CommentsPanel")).CommentsPanel }));

export interface TraceDetailsProps {
  source: TraceSource;
  rows: TraceRows;
  /** The chosen row, or -1 for the trace as a whole. */
  row: number;
  observationId: string;
  tab: string;
  onTab: (tab: string) => void;
  format: string | undefined;
  onFormat: (format: string) => void;
  /** How often somebody asked by a key to write something down: the form takes the focus. */
  asked: number;
  onObservation: (id: string) => void;
}

/** What is known of the chosen row, or of the trace while none is chosen; with what people think of it, unless strangers are looking. */
export function TraceDetails({ source, rows, row, observationId, tab, onTab, format, onFormat, asked, onObservation }: TraceDetailsProps) {
  const subject = { traceId: source.traceId, observationId: row < 0 ? undefined : observationId };
  const key = subject.observationId ?? "";
  const more: DetailTab[] = source.shared ? [] : [
    { value: "scores", label: "Scores", panel: <Later><ScoresPanel key={key} subject={subject} asked={asked} onObservation={onObservation} /></Later> },
    { value: "comments", label: "Comments", panel: <Later><CommentsPanel key={key} subject={subject} asked={asked} /></Later> },
  ];
  if (row >= 0) return <ObservationDetails source={source} rows={rows} row={row} observationId={observationId} tab={tab} onTab={onTab} format={format} onFormat={onFormat} more={more} />;
  if (more.length === 0) return <TraceFacts head={rows.head} />;
  const chosen = more.find(({ value }) => value === tab);
  return (
    <Tabs label="Details of the trace" value={chosen?.value ?? "trace"} onChange={onTab} tabs={[{ value: "trace", label: "Trace" }, ...more]} className="h-full min-h-0" panelClassName="flex flex-col">
      {chosen === undefined ? <TraceFacts head={rows.head} /> : chosen.panel}
    </Tabs>
  );
}

function Later({ children }: { children: ReactNode }) {
  return <Suspense fallback={<SkeletonRows rows={3} />}>{children}</Suspense>;
}
