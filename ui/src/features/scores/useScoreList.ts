import { useMemo, useState } from "react";
import { useProject } from "@/shared/api/project";
import { parse } from "@/shared/filter/parse";
import { scoreColumns } from "@/shared/filter/scores";
import { useRange } from "@/shared/lib/useRange";
import { useUrlState } from "@/shared/lib/useUrlState";
import { nothing, type Selection } from "@/shared/table/selection";
import { useRowPages } from "@/shared/table/useRowPages";
import { loadScores, type ScoreQuery } from "./api";

/** The list of scores: what the address says of it, its rows and those that are chosen. */
export function useScoreList() {
  const project = useProject();
  const range = useRange("7d");
  const [q, setQuery] = useUrlState("q", "", { push: true });
  const query = useMemo(() => readQuery(q), [q]);
  const { from, to } = range;
  const asked = useMemo((): ScoreQuery | null => (query.problems.length > 0 ? null : { from, to, conditions: query.conditions }), [query, from, to]);
  const pages = useRowPages(["score-rows", project.id, asked], asked !== null, (cursor, signal) => loadScores(project, asked!, cursor, signal));
  const [selection, setSelection] = useState<Selection>(nothing);
  return { ...range, q, setQuery, query, asked, pages, selection, setSelection };
}

export type ScoreList = ReturnType<typeof useScoreList>;

/** Scores have no text to search: a bare word is a problem that says what to write instead. */
export function readQuery(q: string) {
  const query = parse(q, scoreColumns);
  const words = query.terms.filter(({ search }) => search !== undefined);
  const problems = words.map(({ from, to, search }) => ({ from, to, message: `Say which column: name:${search ?? ""} or text:*${search ?? ""}*.` }));
  return { ...query, problems: [...query.problems, ...problems] };
}
