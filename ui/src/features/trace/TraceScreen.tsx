import { ArrowDown, SearchX } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { formatCount } from "@/shared/lib/format";
import { useStoredNumber } from "@/shared/lib/preferences";
import { useMedia } from "@/shared/lib/useMedia";
import { parseWindow, type TimeWindow } from "@/shared/trace/axis";
import { hit } from "@/shared/trace/folds";
import type { LoadedTrace } from "@/shared/trace/loadTrace";
import type { TraceRows } from "@/shared/trace/rows";
import type { TraceSource } from "@/shared/trace/source";
import type { RowLayout } from "@/shared/trace/view/TraceRow";
import { TraceTimeline } from "@/shared/trace/view/TraceTimeline";
import { useTimeWindow } from "@/shared/trace/view/useTimeWindow";
import { useTree } from "@/shared/trace/view/useTree";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { Sheet } from "@/shared/ui/Sheet";
import { Splitter } from "@/shared/ui/Splitter";
import { type Named, TraceActions } from "./TraceActions";
import { TraceDetails } from "./TraceDetails";
import { TraceHeader } from "./TraceHeader";
import { TraceNotices } from "./TraceNotices";
import { TraceToolbar, type View, views } from "./TraceToolbar";
import { isLater, TraceViewLater } from "./TraceViews";
import { useFind } from "./useFind";
import { useLiveTrace, useNewRows } from "./useLiveTrace";
import { useTraceAddress } from "./useTraceAddress";
import { useTraceShortcuts } from "./useTraceShortcuts";

interface TraceScreenProps {
  source: TraceSource;
  loaded: LoadedTrace;
  error: unknown;
  onRetry: () => void;
}

const detailsStart = 460;

export function TraceScreen({ source, loaded, error, onRetry }: TraceScreenProps) {
  const { rows } = loaded;
  const { now, settled, change } = useTraceAddress();
  const wide = useMedia("(min-width: 900px)");
  const coarse = useMedia("(pointer: coarse)");
  const usual = usualView(rows, wide);
  const view: View = views.find(({ value }) => value === now.view)?.value ?? usual;
  const text = now.q ?? "";
  const highlighting = now.find === "highlight";
  const found = useFind(source, loaded, text, settled.q ?? "");
  const onSelect = useCallback((id: string) => change({ observation: id }), [change]);
  const tree = useTree({ loaded, marks: found.marks, filtering: !highlighting, selectedId: now.observation ?? "", onSelect });
  const chosen = useMemo(() => parseWindow(now.t0, now.t1, rows.extent), [now.t0, now.t1, rows]);
  const onWindow = useCallback((next: TimeWindow | null) => change(toAddress(next)), [change]);
  const time = useTimeWindow(rows, chosen, onWindow);
  const { live, stalled } = useLiveTrace(source, loaded);
  const news = useNewRows(loaded);
  const [opened, setOpened] = useState(settled.observation !== undefined);
  const [details, setDetails] = useStoredNumber("trace.details", detailsStart);

  const inputRef = useRef<HTMLInputElement>(null);
  const boxRef = useRef<HTMLDivElement>(null);
  const focusRows = useCallback(() => boxRef.current?.querySelector<HTMLElement>("[data-trace-rows]")?.focus(), []);
  useEffect(() => {
    if (document.activeElement?.contains(boxRef.current) === true) focusRows(); // nothing on the page has the focus yet
  }, [focusRows]);
  const [asked, setAsked] = useState(0);
  const open = useCallback(() => setOpened(true), []);
  const onView = (next: View) => change({ view: next === usual ? undefined : next });
  const onTab = (tab: string) => change({ tab: tab === "io" || tab === "trace" ? undefined : tab });
  const onWrite = (tab: string) => {
    onTab(tab);
    open();
    setAsked((before) => before + 1);
  };
  useTraceShortcuts({ source, tree, time, onFind: () => inputRef.current?.focus(), onRows: focusRows, onView, onTab, onWrite });

  const pane = (
    <TraceDetails
      source={source} rows={rows} row={tree.selected} observationId={settled.observation ?? (tree.selected < 0 ? "" : rows.ids.at(tree.selected))} tab={now.tab ?? ""} onTab={onTab}
      format={now.fmt} onFormat={(fmt) => change({ fmt })} asked={asked} onObservation={onSelect}
    />
  );
  const empty = <NoRows finding={found.marks !== undefined} onClear={() => change({ q: undefined })} />;
  const showTrace = () => {
    change({ observation: undefined });
    open();
  };
  return (
    <div ref={boxRef} className="flex h-full min-h-0 flex-col">
      <TraceHeader source={source} head={rows.head} live={live} stalled={stalled} actions={!source.shared && <TraceActions head={rows.head} root={named(rows, rows.head.syntheticRoot === 0 ? 1 : 0)} chosen={named(rows, tree.selected)} onDetails={showTrace} />} />
      <TraceNotices loaded={loaded} error={error} onRetry={onRetry} />
      <TraceToolbar
        inputRef={inputRef} text={text} onText={(q) => change({ q })} found={found} view={view} onView={onView} onDone={focusRows} wide={wide} following={time.following} onFollow={time.follow}
        onStep={(step) => tree.moveTo(step, (row) => found.marks !== undefined && (found.marks[row]! & hit) !== 0)}
        highlighting={highlighting} onHighlighting={(on) => change({ find: on ? "highlight" : undefined })}
      />
      <div className="relative flex min-h-0 flex-1">
        {isLater(view) ? (
          <TraceViewLater view={view} source={source} loaded={loaded} tree={tree} filtering={!highlighting} onOpen={open} wide={wide} empty={empty} />
        ) : (
          <TraceTimeline loaded={loaded} tree={tree} time={time} layout={layoutOf(view, wide)} rowHeight={wide && !coarse ? 26 : 44} stalled={stalled} onOpen={open} empty={empty} />
        )}
        {news.count > 0 && (
          <Button
            variant="primary" icon={ArrowDown} className="absolute bottom-4 left-1/3 z-10 rounded-full shadow-overlay"
            onClick={() => {
              if (news.first >= 0) tree.goTo(news.first);
              news.seen();
            }}
          >
            {formatCount(news.count)} new
          </Button>
        )}
        {wide && (
          <>
            <Splitter label="Details" controls="trace-details" value={details} onChange={setDetails} min={280} max={900} initial={detailsStart} />
            <aside id="trace-details" aria-label="Details" className="flex min-h-0 shrink-0 flex-col" style={{ width: `min(${details}px, 60%)` }}>{pane}</aside>
          </>
        )}
        {!wide && (
          <Sheet open={opened} onOpenChange={setOpened} title="Details" side="bottom"><div className="h-dvh">{pane}</div></Sheet>
        )}
      </div>
    </div>
  );
}

function NoRows({ finding, onClear }: { finding: boolean; onClear: () => void }) {
  if (!finding) return <EmptyState title="This trace has no observations yet">What is sent for it appears here.</EmptyState>;
  return <EmptyState icon={SearchX} title="No row is like that" actions={<Button onClick={onClear}>Show all rows</Button>}>Names, inputs and outputs were looked through.</EmptyState>;
}

function named(rows: TraceRows, row: number): Named | undefined {
  return row < 0 || row >= rows.length ? undefined : { id: rows.ids.at(row), name: rows.nameOf(row) };
}

/** On a phone an agent is read, not measured. */
function usualView(rows: TraceRows, wide: boolean): View {
  return !wide && rows.length > 0 && rows.typeOf(0) === "AGENT" ? "transcript" : "timeline";
}

function layoutOf(view: View, wide: boolean): RowLayout {
  if (wide) return view === "tree" ? "table" : "timeline";
  return view === "tree" ? "brief" : "stacked";
}

function toAddress(window: TimeWindow | null): { t0: string | undefined; t1: string | undefined } {
  if (window === null) return { t0: undefined, t1: undefined };
  return { t0: String(Math.floor(window.from)), t1: String(Math.ceil(window.to)) };
}
