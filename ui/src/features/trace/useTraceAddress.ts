import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { one, type Search } from "@/shared/lib/search";

const settleMs = 150;

type Key = "observation" | "view" | "q" | "t0" | "t1" | "tab" | "fmt" | "find";
type Patch = Partial<Record<Key, string | undefined>>;

export interface TraceAddress {
  /** What the page shows, at once. */
  now: Patch;
  /** What stands in the address: what requests are made for. */
  settled: Patch;
  change: (patch: Patch) => void;
}

/** The state of the page, which is its address. Keys that are held down change it faster than an address should change, so
 * the address follows when it rests. */
export function useTraceAddress(): TraceAddress {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [pending, setPending] = useState<Patch>({});
  const latest = useRef<Patch>({});
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change = useCallback(
    (patch: Patch) => {
      const sent = { ...latest.current, ...patch };
      latest.current = sent;
      setPending(sent);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        const next = (before: Search) => ({ ...before, ...sent });
        void navigate({ to: ".", search: next as never, replace: true, resetScroll: false }).then(() => {
          if (latest.current !== sent) return;
          latest.current = {};
          setPending({});
        });
      }, settleMs);
    },
    [navigate],
  );
  const settled: Patch = {};
  for (const key of ["observation", "view", "q", "t0", "t1", "tab", "fmt", "find"] as const) settled[key] = one(search, key);
  return { now: { ...settled, ...pending }, settled, change };
}
