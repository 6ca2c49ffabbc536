import { useCallback, useMemo, useState } from "react";
import { parseRange, printRange, type Range, resolveRange } from "./range";
import { useUrlState } from "./useUrlState";

export interface RangeState {
  range: Range;
  /** What "now" means; a refresh moves it. */
  now: number;
  /** The two ends of the range at that moment. */
  from: string;
  to: string;
  refresh: () => void;
  setRange: (range: Range) => void;
}

/** The range of time in the address. A page may have a default of its own; it stays out of the address. */
export function useRange(fallback = "24h"): RangeState {
  const [text, setText] = useUrlState("range", fallback, { push: true });
  const [now, setNow] = useState(() => Date.now());
  const range = useMemo(() => parseRange(text), [text]);
  const ends = useMemo(() => resolveRange(range, now), [range, now]);
  return {
    range, now, ...ends,
    refresh: useCallback(() => setNow(Date.now()), []),
    setRange: useCallback((next: Range) => setText(printRange(next) ?? "24h"), [setText]),
  };
}
