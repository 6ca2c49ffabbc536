import { type Catalog, observationColumns } from "@/shared/filter/catalog";
import type { Condition } from "@/shared/filter/condition";
import { parse } from "@/shared/filter/parse";
import { print } from "@/shared/filter/print";
import type { Evaluator, Rule, RuleDraft } from "./api";

/** What rules can be filtered by: everything but what is found by search. */
export const ruleColumns: Catalog = observationColumns.filter(({ column }) => !["input", "output", "hasInput", "hasOutput"].includes(column));

export type Target = "live" | "experiments" | "all";

export const targets = [{ value: "live", label: "Live observations" }, { value: "experiments", label: "Experiments" }, { value: "all", label: "Both" }] as const satisfies readonly { value: Target; label: string }[];

/** A rule while it is written. */
export interface Draft {
  name: string;
  enabled: boolean;
  target: Target;
  /** Conditions beside the target, as the text of a query. */
  query: string;
  percent: number | null;
  runs: number | null;
  /** Dollars, as typed; "": no bound. */
  cost: string;
  evaluatorIds: string[];
}

export function newDraft(evaluatorIds: string[]): Draft {
  return { name: "", enabled: true, target: "live", query: "type:GENERATION", percent: 100, runs: 1000, cost: "", evaluatorIds };
}

const isTarget = (condition: Condition) => condition.type === "null" && condition.column === "experimentId";

/** Which observations a filter is about, and the rest of it. */
export function splitFilter(filter: readonly unknown[]): { target: Target; conditions: Condition[] } {
  const all = filter as readonly Condition[];
  const found = all.find(isTarget);
  return { target: found === undefined ? "all" : found.operator === "is null" ? "live" : "experiments", conditions: all.filter((condition) => !isTarget(condition)) };
}

/** The whole filter as the text of a query, as lists understand it. */
export const queryOf = ({ filter }: Pick<Rule, "filter">) => print(filter as unknown as Condition[]);

export function draftOf(rule: Rule): Draft {
  const { target, conditions } = splitFilter(rule.filter);
  return {
    name: rule.name, enabled: rule.enabled, target, query: print(conditions), percent: Math.round(rule.sampling * 1e6) / 1e4, runs: rule.maxRunsPerDay, cost: rule.maxCostPerDay ?? "",
    evaluatorIds: rule.evaluatorAssignments.map(({ evaluatorId }) => evaluatorId),
  };
}

/** The conditions of a draft, its target among them. */
export function filterOf({ target, query }: Pick<Draft, "target" | "query">): Condition[] {
  const { conditions } = parse(query, ruleColumns);
  if (target === "all") return conditions;
  return [{ type: "null", column: "experimentId", operator: target === "live" ? "is null" : "is not null", value: null }, ...conditions];
}

/** What is wrong with the query of a rule; undefined: nothing. */
export function queryProblem(query: string): string | undefined {
  const { problems, search } = parse(query, ruleColumns);
  if (problems[0] !== undefined) return problems[0].message;
  return search === "" ? undefined : `A rule cannot search for words (${search}): it looks at columns only, such as name:answer.`;
}

/** Why a rule cannot be saved; undefined: it can. */
export function problemOf(draft: Draft): string | undefined {
  if (draft.name.trim() === "") return "Give it a name.";
  if (draft.evaluatorIds.length === 0 && draft.enabled) return "Choose an evaluator, or save it turned off.";
  if (draft.percent === null) return "Say how many of the matching observations are evaluated.";
  if (draft.cost.trim() !== "" && !/^\d+(\.\d{1,12})?$/.test(draft.cost.trim())) return "Write the costs per day as dollars, such as 2.50.";
  return queryProblem(draft.query);
}

/** What is sent. Mappings that a rule has of its own stay with their evaluators. */
export function bodyOf(draft: Draft, before: Rule | null): RuleDraft {
  const mappingOf = (id: string) => before?.evaluatorAssignments.find(({ evaluatorId }) => evaluatorId === id)?.variableMapping ?? null;
  return {
    name: draft.name.trim(), enabled: draft.enabled, filter: filterOf(draft) as never, sampling: Number(((draft.percent ?? 100) / 100).toFixed(6)), maxRunsPerDay: draft.runs, maxCostPerDay: draft.cost.trim() || null,
    evaluatorAssignments: draft.evaluatorIds.map((evaluatorId) => ({ evaluatorId, variableMapping: mappingOf(evaluatorId) })),
  };
}

/** What keeps a rule from doing what it says; undefined: nothing does. */
export function standstill(rule: Rule, evaluators: readonly Evaluator[]): string | undefined {
  if (!rule.enabled) return undefined;
  const paused = rule.evaluatorAssignments.flatMap(({ evaluatorId }) => evaluators.filter(({ id, status }) => id === evaluatorId && status === "paused"));
  return paused.length === 0 ? undefined : `${paused.map(({ name }) => name).join(", ")} ${paused.length === 1 ? "is" : "are"} paused, so observations are skipped.`;
}
