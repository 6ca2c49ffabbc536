import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useProject } from "@/shared/api/project";
import type { Search } from "@/shared/lib/search";
import { useUrlList, useUrlState } from "@/shared/lib/useUrlState";
import { useRowPages } from "@/shared/table/useRowPages";
import { type ComparedItem, type Compared, itemPage, type ItemQuery, loadComparison, loadItems } from "./api";
import { sidesOf } from "./model";

export type Layout = "grid" | "list";
export type Against = "baseline" | "expected" | "nothing";

/** How many experiments are compared with the baseline at most. */
export const maxOthers = 9;

/** All that the address says of the results page, and what the server says to it. */
export function useResults() {
  const project = useProject();
  const navigate = useNavigate();
  const [baseline] = useUrlState("baseline");
  const [listed, setOthers] = useUrlList("c", { push: true });
  const [layoutText, setLayout] = useUrlState("layout", "grid");
  const [visibility, setVisibility] = useUrlState("itemVisibility", "baseline-only", { push: true });
  const [only] = useUrlState("only");
  const [score, setScore] = useUrlState("score", "", { push: true });
  const [sort, setSort] = useUrlState("sort", "start", { push: true });
  const [search, setSearch] = useUrlState("q", "", { push: true });
  const [lower, setLower] = useUrlList("lower", { push: true });
  const [against, setAgainst] = useUrlState("diff", "baseline");
  const [item, setItem] = useUrlState("item", "");
  const others = useMemo(() => [...new Set(listed)].filter((id) => id !== "" && id !== baseline).slice(0, maxOthers), [listed, baseline]);
  const change = useCallback(
    (patch: Search) => void navigate({ to: ".", search: ((before: Search) => ({ ...before, ...patch })) as never, resetScroll: false }),
    [navigate],
  );
  const compared = useMemo((): Compared => ({ baseline, others, lower }), [baseline, others, lower]);
  const comparison = useQuery({
    queryKey: ["experiment comparison", project.id, compared],
    enabled: baseline !== "",
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => loadComparison(project, compared, signal),
  });
  const asked = useMemo(
    (): ItemQuery => ({ ...compared, all: visibility === "all", regressions: only === "regressions", score, worstFirst: sort === "worst", search }),
    [compared, visibility, only, score, sort, search],
  );
  const pages = useRowPages<ComparedItem>(["compared items", project.id, asked], baseline !== "", (page, signal) => loadItems(project, asked, page, signal), itemPage);
  const sides = useMemo(() => sidesOf([baseline, ...others], comparison.data?.experiments ?? []), [baseline, others, comparison.data]);
  return {
    compared, asked, sides, comparison, pages, baseline, others, setOthers, lower, setLower, search, setSearch, item, setItem,
    layout: (layoutText === "list" ? "list" : "grid") as Layout, setLayout,
    all: visibility === "all", setAll: useCallback((all: boolean) => setVisibility(all ? "all" : "baseline-only"), [setVisibility]),
    regressions: only === "regressions",
    /** Only the regressions of a score, or of all; or all items again. */
    showRegressions: useCallback((on: boolean, of = "") => change({ only: on ? "regressions" : undefined, score: of === "" ? undefined : of }), [change]),
    /** Another run becomes the baseline, and the baseline takes its place. */
    makeBaseline: useCallback((id: string) => change({ baseline: id, c: others.map((other) => (other === id ? baseline : other)) }), [change, others, baseline]),
    score, setScore, worstFirst: sort === "worst", setWorstFirst: useCallback((on: boolean) => setSort(on ? "worst" : "start"), [setSort]),
    against: (["baseline", "expected", "nothing"].includes(against) ? against : "baseline") as Against, setAgainst,
  };
}

export type Results = ReturnType<typeof useResults>;
