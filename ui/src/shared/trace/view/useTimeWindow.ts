import { useCallback, useMemo, useState } from "react";
import { clampWindow, fitRow, followWindow, panBy, type TimeWindow, wholeTrace, zoomAt } from "../axis";
import type { TraceRows } from "../rows";

/** What the time axis shows, and what can be done with it. */
export interface TimeView {
  window: TimeWindow;
  /** The axis fits the rows on screen. */
  following: boolean;
  set: (window: TimeWindow) => void;
  whole: () => void;
  fit: (row: number) => void;
  /** Closer below 1; around a moment, or the middle. */
  zoom: (factor: number, at?: number) => void;
  pan: (milliseconds: number) => void;
  follow: (on: boolean) => void;
  onRest: (shown: Int32Array, first: number, end: number) => void;
}

const followFrom = 200; // rows; a shorter trace is readable as a whole

/** chosen is what the person zoomed to, null while they did not. */
export function useTimeWindow(rows: TraceRows, chosen: TimeWindow | null, onChoose: (window: TimeWindow | null) => void): TimeView {
  const [wanted, setWanted] = useState<boolean | null>(null);
  const [followed, setFollowed] = useState<TimeWindow | null>(null);
  const following = chosen === null && (wanted ?? rows.head.rows > followFrom);
  const { extent } = rows;
  const all = useMemo(() => wholeTrace(extent), [extent]);
  const window = chosen ?? (following ? (followed ?? all) : all);

  const onRest = useCallback(
    (shown: Int32Array, first: number, end: number) => {
      if (!following) return;
      const next = followWindow(rows, shown, first, end);
      setFollowed((before) => (before !== null && before.from === next.from && before.to === next.to ? before : next));
    },
    [rows, following],
  );
  return useMemo(() => {
    const set = (next: TimeWindow) => onChoose(clampWindow(next, extent));
    return {
      window, following, set, onRest,
      whole: () => set(all),
      fit: (row) => onChoose(fitRow(rows, row)),
      zoom: (factor, at = (window.from + window.to) / 2) => onChoose(zoomAt(window, factor, at, extent)),
      pan: (milliseconds) => onChoose(panBy(window, milliseconds, extent)),
      follow: (on) => {
        setWanted(on);
        onChoose(null);
      },
    };
  }, [rows, window, following, onChoose, onRest, all, extent]);
}
