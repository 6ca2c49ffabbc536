import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";
import type { Condition } from "@/shared/filter/condition";

type Schemas = components["schemas"];
export type Evaluator = Schemas["Evaluator"];
export type EvaluatorVersion = Schemas["EvaluatorVersion"];
export type EvaluatorDraft = Schemas["EvaluatorBody"];
export type Rule = Schemas["EvaluationRule"];
export type RuleDraft = Schemas["EvaluationRuleBody"];
export type Decision = Schemas["Decision"];
export type DecisionCount = Schemas["DecisionCounts"]["data"][number];
export type Trial = Schemas["EvaluatorTrial"];
export type Job = Schemas["Job"];
export type OfferedModels = Schemas["OfferedModels"];
export type Row = Schemas["Observation"];

async function answer<T>(request: Promise<{ data?: T }>): Promise<T> {
  return (await request).data as T;
}

/** Lists are short: a hundred evaluators or rules is more than people look at. */
const most = { params: { query: { limit: "100" } } };

export const evaluatorsKey = ({ id }: Project) => ["evaluators", id] as const;
export const rulesKey = ({ id }: Project) => ["evaluation-rules", id] as const;

export const evaluatorsQuery = (project: Project) =>
  queryOptions({ queryKey: [...evaluatorsKey(project), "all"], queryFn: async ({ signal }) => (await answer(project.api.GET("/api/public/v2/evaluators", { ...most, signal }))).data });

export const evaluatorQuery = (project: Project, evaluatorId: string) =>
  queryOptions({ queryKey: [...evaluatorsKey(project), "one", evaluatorId], queryFn: ({ signal }) => answer(project.api.GET("/api/public/v2/evaluators/{evaluatorId}", { params: { path: { evaluatorId } }, signal })) });

/** The newest hundred. */
export const versionsQuery = (project: Project, evaluatorId: string) =>
  queryOptions({
    queryKey: [...evaluatorsKey(project), "versions", evaluatorId],
    queryFn: async ({ signal }) => (await answer(project.api.GET("/api/public/v2/evaluators/{evaluatorId}/versions", { params: { path: { evaluatorId }, query: { limit: "100" } }, signal }))).data,
  });

/** The models that judges can ask. */
export const modelsQuery = (project: Project) =>
  queryOptions({ queryKey: ["playground-models", project.id], queryFn: async ({ signal }) => (await answer(project.api.GET("/api/public/playground/models", { signal })))?.data ?? [] });

/** The newest observations that meet conditions, to try an evaluator on. */
export const rowsQuery = (project: Project, conditions: readonly Condition[], limit = 8) =>
  queryOptions({
    queryKey: ["trial-rows", project.id, conditions, limit],
    queryFn: async ({ signal }) => (await answer(project.api.GET("/api/public/v2/observations", { params: { query: { filter: JSON.stringify(conditions), fields: "core,basic", limit } }, signal }))).data,
  });

/** One observation with what it was given and what it gave. Null: it is not there. */
export const rowQuery = (project: Project, traceId: string, id: string) =>
  queryOptions({
    queryKey: ["trial-row", project.id, traceId, id],
    enabled: id !== "",
    queryFn: async ({ signal }): Promise<Row | null> => {
      const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: id }]);
      return (await answer(project.api.GET("/api/public/v2/observations", { params: { query: { traceId, filter, fields: "core,basic,io", limit: 1 } }, signal }))).data[0] ?? null;
    },
  });

export const createEvaluator = ({ api }: Project, body: EvaluatorDraft) => answer(api.POST("/api/public/v2/evaluators", { body }));
export const changeEvaluator = ({ api }: Project, evaluatorId: string, body: Schemas["EvaluatorChangeBody"]) =>
  answer(api.PATCH("/api/public/v2/evaluators/{evaluatorId}", { params: { path: { evaluatorId } }, body }));
export const deleteEvaluator = ({ api }: Project, evaluatorId: string) => answer(api.DELETE("/api/public/v2/evaluators/{evaluatorId}", { params: { path: { evaluatorId } } }));
export const tryEvaluator = ({ api }: Project, body: Schemas["EvaluatorTrialBody"]) => answer(api.POST("/api/public/v2/evaluator-trials", { body }));

export const rulesQuery = (project: Project) =>
  queryOptions({ queryKey: [...rulesKey(project), "all"], queryFn: async ({ signal }) => (await answer(project.api.GET("/api/public/v2/evaluation-rules", { ...most, signal }))).data });

export const ruleQuery = (project: Project, evaluationRuleId: string) =>
  queryOptions({
    queryKey: [...rulesKey(project), "one", evaluationRuleId],
    queryFn: ({ signal }) => answer(project.api.GET("/api/public/v2/evaluation-rules/{evaluationRuleId}", { params: { path: { evaluationRuleId } }, signal })),
    refetchInterval: 10_000, // it tells up to when it has decided
  });

/** How many decisions ended how; from a time of decision on, or all that are kept. */
export const countsQuery = (project: Project, evaluationRuleId: string, from?: string) =>
  queryOptions({
    queryKey: [...rulesKey(project), "counts", evaluationRuleId, from ?? ""],
    queryFn: async ({ signal }) => (await answer(project.api.GET("/api/public/v2/evaluation-rules/{evaluationRuleId}/decision-counts", { params: { path: { evaluationRuleId }, query: { from } }, signal }))).data,
    refetchInterval: 10_000,
  });

export interface DecisionFilter {
  outcome: string;
  reason: string;
  evaluatorId: string;
}

export const decisionsQuery = (project: Project, evaluationRuleId: string, filter: DecisionFilter) =>
  infiniteQueryOptions({
    queryKey: [...rulesKey(project), "decisions", evaluationRuleId, filter],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const given = Object.fromEntries(Object.entries({ ...filter, cursor: pageParam }).filter(([, value]) => value !== ""));
      return answer(project.api.GET("/api/public/v2/evaluation-rules/{evaluationRuleId}/decisions", { params: { path: { evaluationRuleId }, query: { limit: "50", ...given } }, signal }));
    },
    getNextPageParam: (page) => page.meta.cursor,
    refetchInterval: ({ state }) => (state.data !== undefined && state.data.pages.length > 1 ? false : 10_000),
  });

export const createRule = ({ api }: Project, body: RuleDraft) => answer(api.POST("/api/public/v2/evaluation-rules", { body }));
export const changeRule = ({ api }: Project, evaluationRuleId: string, body: RuleDraft) =>
  answer(api.PATCH("/api/public/v2/evaluation-rules/{evaluationRuleId}", { params: { path: { evaluationRuleId } }, body }));
export const deleteRule = ({ api }: Project, evaluationRuleId: string) => answer(api.DELETE("/api/public/v2/evaluation-rules/{evaluationRuleId}", { params: { path: { evaluationRuleId } } }));

export interface Backfill {
  ruleId: string;
  from: string;
  to: string;
  maxRuns?: number | null;
  maxCost?: string | null;
}

export const estimateQuery = (project: Project, { ruleId: evaluationRuleId, from, to }: Backfill) =>
  queryOptions({
    queryKey: [...rulesKey(project), "estimate", evaluationRuleId, from, to],
    queryFn: ({ signal }) => answer(project.api.GET("/api/public/v2/evaluation-rules/{evaluationRuleId}/estimate", { params: { path: { evaluationRuleId }, query: { from, to } }, signal })),
    staleTime: 0,
    gcTime: 0,
  });

export const startBackfill = ({ api }: Project, body: Backfill) => answer(api.POST("/api/public/jobs", { body: { kind: "evaluate", ...body } }));
export const cancelJob = ({ api }: Project, id: string) => answer(api.POST("/api/public/jobs/{id}/cancel", { params: { path: { id } } }));

/** Backfills of a rule, the newest first; asked again every other second while one works. */
export const backfillsQuery = (project: Project, ruleId: string) =>
  queryOptions({
    queryKey: ["backfills", project.id, ruleId],
    queryFn: async ({ signal }) => {
      const { data } = await answer(project.api.GET("/api/public/jobs", { ...most, signal }));
      return data.filter(({ kind, parameters }) => kind === "evaluate" && (parameters as { ruleId?: string }).ruleId === ruleId);
    },
    refetchInterval: ({ state }) => (state.data?.some(works) ? 2000 : false),
  });

export const works = ({ state }: Job) => state === "queued" || state === "running";

/** How many observations of a range meet conditions. */
export const matchingQuery = (project: Project, conditions: readonly Condition[], fromStartTime: string, toStartTime: string) =>
  queryOptions({
    queryKey: ["matching", project.id, conditions, fromStartTime],
    queryFn: ({ signal }) => answer(project.api.GET("/api/public/filter-counts", { params: { query: { filter: JSON.stringify(conditions), fromStartTime, toStartTime } }, signal })),
  });
