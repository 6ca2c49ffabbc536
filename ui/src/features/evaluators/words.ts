import type { DecisionCount } from "./api";

/** What reasons mean to people; the server has the words. */
const meanings: Record<string, string> = {
  filter: "does not match the filter",
  sampling: "not in the sample",
  budget_runs: "the runs of the day are used up",
  budget_cost: "the costs of the day are used up",
  paused: "the evaluator is paused",
  gone: "deleted before it was evaluated",
  syntax: "the source code is broken",
  threw: "the code ended with an error",
  time: "the code took too long",
  memory: "the code needed too much memory",
  depth: "the code calls itself too deeply",
  input: "the observation is too large",
  output: "what came back is no score",
  mapping: "a variable finds nothing",
  model: "the model did not answer",
  no_model_connection: "no model connection",
};

export const meaningOf = (reason: string): string => meanings[reason] ?? reason;

export interface Total {
  outcome: DecisionCount["outcome"];
  reason: string;
  count: number;
}

/** Counts of all evaluators together, by outcome and reason, the largest first. */
export function totalsOf(counts: readonly DecisionCount[]): Total[] {
  const totals = new Map<string, Total>();
  for (const { outcome, reason, count } of counts) {
    const key = `${outcome} ${reason ?? ""}`;
    const total = totals.get(key) ?? { outcome, reason: reason ?? "", count: 0 };
    totals.set(key, { ...total, count: total.count + count });
  }
  return [...totals.values()].sort((a, b) => b.count - a.count);
}

export const sumOf = (totals: readonly Total[], outcome?: Total["outcome"]): number =>
  totals.filter((total) => outcome === undefined || total.outcome === outcome).reduce((sum, { count }) => sum + count, 0);

export const templates: { value: string; label: string; code: string }[] = [
  {
    value: "length", label: "Length of the output",
    code: `function evaluate(ctx: EvaluationContext): EvaluationResult {
  const output = ctx.observation.output ?? "";
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { scores: [{ name: "length", value: text.length }] };
}
`,
  },
  {
    value: "json", label: "The output is JSON",
    code: `function evaluate(ctx: EvaluationContext): EvaluationResult {
  // Text that is JSON arrives parsed.
  const ok = ctx.observation.output !== null && typeof ctx.observation.output === "object";
  return { scores: [{ name: "is-json", value: ok, dataType: "BOOLEAN" }] };
}
`,
  },
  {
    value: "expected", label: "Equals the expected output of an experiment",
    code: `function evaluate(ctx: EvaluationContext): EvaluationResult {
  const same = JSON.stringify(ctx.observation.output) === JSON.stringify(ctx.experiment?.itemExpectedOutput);
  return { scores: [{ name: "exact-match", value: same, comment: same ? undefined : "differs from what was expected" }] };
}
`,
  },
];
