import { useCallback, useMemo, useState } from "react";
import { type Project, useProject } from "@/shared/api/project";
import type { Query } from "@/shared/filter/condition";
import { parse } from "@/shared/filter/parse";
import { type RangeState, useRange } from "@/shared/lib/useRange";
import { useUrlState } from "@/shared/lib/useUrlState";
import type { Sort } from "@/shared/table/TableHead";
import { type Page, type RowPages, useRowPages } from "@/shared/table/useRowPages";
import type { ActivityQuery } from "./api";

/** A list of users or sessions: what the address says of it, and its rows. */
export interface Activity<Row> extends RangeState {
  q: string;
  setQuery: (q: string) => void;
  query: Query;
  sort: Sort;
  setSort: (sort: Sort) => void;
  /** The question to the server; null while the query has problems. */
  asked: ActivityQuery | null;
  pages: RowPages<Row>;
  /** The places in sight. */
  visible: { from: number; to: number };
  onVisible: (from: number, to: number) => void;
}

const firstSort = "lastSeen.desc";

type Load<Row> = (project: Project, query: ActivityQuery, page: string | undefined, signal: AbortSignal) => Promise<Page<Row>>;

export function useActivity<Row>(kind: string, load: Load<Row>): Activity<Row> {
  const project = useProject();
  const range = useRange();
  const [q, setQuery] = useUrlState("q", "", { push: true });
  const [sortText, setSortText] = useUrlState("sort", firstSort, { push: true });
  const [visible, setVisible] = useState({ from: 0, to: 0 });
  const query = useMemo(() => parse(q), [q]);
  const { from, to } = range;
  const asked = useMemo((): ActivityQuery | null => {
    // Bare words have no other meaning here: activities have no text to search.
    return query.problems.length > 0 ? null : { from, to, conditions: query.conditions, prefix: query.search, orderBy: sortText };
  }, [query, from, to, sortText]);
  const pages = useRowPages([kind, project.id, asked], asked !== null, (page, signal) => load(project, asked!, page, signal));
  const { look } = pages;
  const onVisible = useCallback(
    (first: number, last: number) => {
      setVisible((before) => (before.from === first && before.to === last ? before : { from: first, to: last }));
      look(first, last);
    },
    [look],
  );
  return {
    ...range, q, setQuery, query, asked, pages, visible, onVisible,
    sort: useMemo(() => readSort(sortText), [sortText]),
    setSort: useCallback((sort: Sort) => setSortText(`${sort.id}.${sort.descending ? "desc" : "asc"}`), [setSortText]),
  };
}

function readSort(text: string): Sort {
  const [id = "", direction] = text.split(".");
  return { id, descending: direction !== "asc" };
}
