import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import type { Condition, Query } from "@/shared/filter/condition";
import { parse } from "@/shared/filter/parse";
import { parseRange, printRange, type Range, resolveRange } from "@/shared/lib/range";
import { newRequestId } from "@/shared/api/client";
import { one, type Search } from "@/shared/lib/search";
import type { ListQuery } from "./api";

export type TableName = "traces" | "observations";

/** What the address says of a list. A change is a patch of it; undefined takes a key out. */
export interface ListState {
  table: TableName;
  search: Search;
  q: string;
  query: Query;
  range: Range;
  /** What "now" means; a refresh moves it. */
  now: number;
  refresh: () => void;
  /** The question to the server; null while the query has problems. */
  asked: ListQuery | null;
  /** What all requests of this question carry, so that the server can be told to stop them. */
  requestId: string;
  update: (patch: Record<string, string | undefined>, push?: boolean) => void;
  setQuery: (q: string) => void;
  setRange: (range: Range) => void;
}

const rootOnly: Condition = { type: "boolean", column: "isRootObservation", operator: "=", value: true };

export function useListState(table: TableName): ListState {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [now, setNow] = useState(() => Date.now());
  const q = one(search, "q") ?? "";
  const rangeText = one(search, "range");
  const query = useMemo(() => parse(q), [q]);
  const range = useMemo(() => parseRange(rangeText), [rangeText]);
  const asked = useMemo((): ListQuery | null => {
    if (query.problems.length > 0) return null;
    const needsRoot = table === "traces" && !query.conditions.some(({ column }) => column === rootOnly.column);
    return { ...resolveRange(range, now), conditions: needsRoot ? [rootOnly, ...query.conditions] : query.conditions, search: query.search };
  }, [table, query, range, now]);

  // oxlint-disable-next-line react/exhaustive-deps -- another question, another id
  const requestId = useMemo(newRequestId, [asked]);

  const update = useCallback(
    (patch: Record<string, string | undefined>, push = false) => {
      const next = (before: Search) => ({ ...before, ...patch });
      void navigate({ to: ".", search: next as never, replace: !push, resetScroll: false });
    },
    [navigate],
  );
  return {
    table, search, q, query, range, now, asked, requestId, update,
    refresh: useCallback(() => setNow(Date.now()), []),
    setQuery: useCallback((text: string) => update({ q: text || undefined }, true), [update]),
    setRange: useCallback((next: Range) => update({ range: printRange(next) }, true), [update]),
  };
}
