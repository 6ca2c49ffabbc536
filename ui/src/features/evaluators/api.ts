import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";

type Schemas = components["schemas"];
export type Evaluator = Schemas["Evaluator"];
export type Rule = Schemas["EvaluationRule"];
export type Decision = Schemas["Decision"];
export type DecisionCount = Schemas["DecisionCounts"]["data"][number];
export type Estimate = Schemas["BackfillEstimate"];
export type Trial = Schemas["EvaluatorTrial"];
export type EvaluatorDraft = Schemas["EvaluatorBody"];
export type RuleDraft = Schemas["EvaluationRuleBody"];

async function answer<T>(request: Promise<{ data?: T }>): Promise<T> {
  return (await request).data as T;
}

/** Lists are short: a hundred evaluators or rules is more than people look at. */
const most = { params: { query: { limit: "100" } } };

export const evaluatorsQuery = ({ id, api }: Project) =>
  queryOptions({ queryKey: ["evaluators", id], queryFn: async ({ signal }) => (await answer(api.GET("/api/public/v2/evaluators", { ...most, signal }))).data });

export const rulesQuery = ({ id, api }: Project) =>
  queryOptions({ queryKey: ["evaluation-rules", id], queryFn: async ({ signal }) => (await answer(api.GET("/api/public/v2/evaluation-rules", { ...most, signal }))).data });

export const countsQuery = ({ id, api }: Project, evaluationRuleId: string) =>
  queryOptions({
    queryKey: ["evaluation-rules", id, evaluationRuleId, "counts"],
    queryFn: async ({ signal }) => (await answer(api.GET("/api/public/v2/evaluation-rules/{evaluationRuleId}/decision-counts", { params: { path: { evaluationRuleId } }, signal }))).data,
    refetchInterval: 10_000,
  });

export const decisionsQuery = ({ id, api }: Project, evaluationRuleId: string, outcome: string, reason: string) =>
  infiniteQueryOptions({
    queryKey: ["evaluation-rules", id, evaluationRuleId, "decisions", outcome, reason],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: "50", ...(pageParam && { cursor: pageParam }), ...(outcome && { outcome: outcome as Decision["outcome"] }), ...(reason && { reason }) };
      return answer(api.GET("/api/public/v2/evaluation-rules/{evaluationRuleId}/decisions", { params: { path: { evaluationRuleId }, query }, signal }));
    },
    getNextPageParam: (page) => page.meta.cursor,
  });

export const createEvaluator = ({ api }: Project, body: EvaluatorDraft) => answer(api.POST("/api/public/v2/evaluators", { body }));
export const changeEvaluator = ({ api }: Project, evaluatorId: string, body: Schemas["EvaluatorChangeBody"]) =>
  answer(api.PATCH("/api/public/v2/evaluators/{evaluatorId}", { params: { path: { evaluatorId } }, body }));
export const deleteEvaluator = ({ api }: Project, evaluatorId: string) => answer(api.DELETE("/api/public/v2/evaluators/{evaluatorId}", { params: { path: { evaluatorId } } }));
export const tryEvaluator = ({ api }: Project, body: Schemas["EvaluatorTrialBody"]) => answer(api.POST("/api/public/v2/evaluator-trials", { body }));

export const createRule = ({ api }: Project, body: RuleDraft) => answer(api.POST("/api/public/v2/evaluation-rules", { body }));
export const changeRule = ({ api }: Project, evaluationRuleId: string, body: RuleDraft) =>
  answer(api.PATCH("/api/public/v2/evaluation-rules/{evaluationRuleId}", { params: { path: { evaluationRuleId } }, body }));
export const deleteRule = ({ api }: Project, evaluationRuleId: string) => answer(api.DELETE("/api/public/v2/evaluation-rules/{evaluationRuleId}", { params: { path: { evaluationRuleId } } }));

export const estimate = ({ api }: Project, evaluationRuleId: string, from: string, to: string) =>
  answer(api.GET("/api/public/v2/evaluation-rules/{evaluationRuleId}/estimate", { params: { path: { evaluationRuleId }, query: { from, to } } }));
export const startBackfill = ({ api }: Project, ruleId: string, from: string, to: string) => answer(api.POST("/api/public/jobs", { body: { kind: "evaluate", ruleId, from, to } }));
