import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";
import { type Page, pageSize } from "@/shared/table/useRowPages";

type Schemas = components["schemas"];
export type Experiment = Schemas["Experiment"];
export type ExperimentFigure = Schemas["ExperimentFigure"];
export type Comparison = Schemas["BaselineComparison"];
export type ComparedFigure = Schemas["ComparedFigure"];
export type FigureChange = Schemas["FigureChange"];
export type ComparedItem = Schemas["ComparedItem"];
export type ItemRun = Schemas["ItemRun"];
export type FigureValue = Schemas["FigureValue"];

/** Which experiments of a time: those whose name has a text. */
export interface ExperimentQuery {
  from: string;
  to: string;
  name: string;
}

export async function loadExperiments({ api }: Project, { from, to, name }: ExperimentQuery, cursor: string | undefined, signal: AbortSignal): Promise<Page<Experiment>> {
  const filter = name === "" ? {} : { filter: JSON.stringify([{ type: "string", column: "name", operator: "contains", value: name }]) };
  const { data } = await api.GET("/api/public/experiments", { params: { query: { fromStartTime: from, toStartTime: to, limit: pageSize, ...filter, ...(cursor === undefined ? {} : { cursor }) } }, signal });
  return { list: data!.data, cursor: data!.meta.cursor ?? null };
}

/** How many experiments the server sums up at once. */
const figuresAtOnce = 50;

/** What experiments scored, took and cost. */
export async function loadFigures({ api }: Project, ids: readonly string[], signal: AbortSignal): Promise<ExperimentFigure[]> {
  const parts = [];
  for (let at = 0; at < ids.length; at += figuresAtOnce) {
    parts.push(api.GET("/api/public/experiments/figures", { params: { query: { id: ids.slice(at, at + figuresAtOnce) } }, signal }));
  }
  return (await Promise.all(parts)).flatMap(({ data }) => data!.data);
}

/** What is compared with what. */
export interface Compared {
  baseline: string;
  others: readonly string[];
  /** Scores of which less is better. */
  lower: readonly string[];
}

const parametersOf = ({ baseline, others, lower }: Compared) => ({ baseline, c: [...others], lowerIsBetter: [...lower] });

export async function loadComparison({ api }: Project, compared: Compared, signal: AbortSignal): Promise<Comparison> {
  const { data } = await api.GET("/api/public/experiments/compare", { params: { query: parametersOf(compared) }, signal });
  return data!;
}

/** Which items of them, and in which order. */
export interface ItemQuery extends Compared {
  all: boolean;
  regressions: boolean;
  /** The only score that regressions and the order are about; "" for all. */
  score: string;
  worstFirst: boolean;
  search: string;
}

function itemParameters(query: ItemQuery) {
  const { all, regressions, score, worstFirst, search } = query;
  return {
    ...parametersOf(query),
    ...(all ? { itemVisibility: "all" as const } : {}),
    ...(regressions ? { only: "regressions" as const } : {}),
    ...(score === "" ? {} : { score }),
    ...(worstFirst ? { orderBy: "worst" as const } : {}),
    ...(search === "" ? {} : { q: search }),
  };
}

/** The names of datasets by their ids. Where they cannot be read ids stand for them. */
export const datasetNamesQuery = ({ api, id }: Project) => ({
  queryKey: ["datasets", id, "names"],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { data } = await api.GET("/api/public/dataset-summaries", { signal });
    return new Map(data!.data.map((dataset) => [dataset.id, dataset.name]));
  },
});

/** Items of one fetch: each has a text of every run, and few are in sight at once. */
export const itemPage = 50;

export async function loadItems({ api }: Project, query: ItemQuery, page: string | undefined, signal: AbortSignal): Promise<Page<ComparedItem>> {
  const { data } = await api.GET("/api/public/experiments/compare/items", { params: { query: { ...itemParameters(query), page: page ?? "1", limit: String(itemPage) } }, signal });
  const { meta } = data!;
  return { list: data!.data, cursor: meta.page < meta.totalPages ? String(meta.page + 1) : null, total: meta.totalItems };
}

/** How many items a scatter draws at most. */
export const plottedItems = 1000;

/** The figures of items without their texts. */
export async function loadPlotted({ api }: Project, query: ItemQuery, signal: AbortSignal): Promise<{ list: ComparedItem[]; total: number }> {
  const { data } = await api.GET("/api/public/experiments/compare/items", { params: { query: { ...itemParameters(query), fields: "core", limit: String(plottedItems) } }, signal });
  return { list: data!.data, total: data!.meta.totalItems };
}

/** One item with its runs; undefined: none of the experiments ran it. Texts that were cut are read as a whole. */
export async function loadItem({ api }: Project, compared: Compared, itemId: string, signal: AbortSignal): Promise<ComparedItem | undefined> {
  const { data } = await api.GET("/api/public/experiments/compare/items", { params: { query: { ...parametersOf(compared), itemVisibility: "all", itemId, limit: "1" } }, signal });
  const item = data!.data[0];
  if (item === undefined || item.runs.every((run) => !run.cut)) return item;
  const starts = item.runs.map(({ startTime }) => Date.parse(startTime));
  const any = (column: string, value: string[]) => ({ type: "stringOptions", column, operator: "any of", value });
  const { data: whole } = await api.GET("/api/public/experiment-items", {
    params: {
      query: {
        fromStartTime: new Date(Math.min(...starts)).toISOString(), toStartTime: new Date(Math.max(...starts) + 1).toISOString(), fields: "core,io", limit: 100,
        filter: JSON.stringify([any("experimentItemId", [itemId]), any("experimentId", [compared.baseline, ...compared.others])]),
      },
    },
    signal,
  });
  const texts = new Map(whole!.data.map((row) => [`${row.traceId} ${row.id}`, row]));
  return {
    ...item,
    runs: item.runs.map((run) => {
      const row = texts.get(`${run.traceId} ${run.observationId}`);
      return row === undefined ? run : { ...run, input: row.input, output: row.output, expectedOutput: row.expectedOutput, cut: false };
    }),
  };
}
