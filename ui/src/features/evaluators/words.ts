import type { BadgeTone } from "@/shared/ui/Badge";
import type { Decision, DecisionCount, Job } from "./api";

/** What reasons mean to people; the server has the words. */
const meanings: Record<string, string> = {
  filter: "does not match the filter",
  sampling: "not in the sample",
  budget_runs: "the runs of the day are used up",
  budget_cost: "the costs of the day are used up",
  paused: "the evaluator is paused",
  gone: "deleted before it was evaluated",
  own_call: "it is the call of a judge",
  syntax: "the source code is broken",
  threw: "the code ended with an error",
  time: "the code took too long",
  memory: "the code needed too much memory",
  depth: "the code calls itself too deeply",
  input: "the observation is too large",
  output: "what came back is no score",
  mapping: "a variable finds nothing",
  model: "the model did not answer",
  rate_limited: "the provider had no room",
  no_model_connection: "no model connection",
};

export const meaningOf = (reason: string): string => meanings[reason] ?? reason;

export const tones: Record<Decision["outcome"], BadgeTone> = { evaluated: "ok", skipped: "neutral", failed: "danger" };

export interface Total {
  outcome: DecisionCount["outcome"];
  reason: string;
  count: number;
}

/** Counts of all evaluators together, by outcome and reason, the largest first. */
export function totalsOf(counts: readonly DecisionCount[]): Total[] {
  const totals = new Map<string, Total>();
  for (const { outcome, reason, count } of counts) {
    const key = keyOf({ outcome, reason: reason ?? "" });
    const total = totals.get(key) ?? { outcome, reason: reason ?? "", count: 0 };
    totals.set(key, { ...total, count: total.count + count });
  }
  return [...totals.values()].sort((a, b) => b.count - a.count);
}

/** A kind of decisions as the address has it: "skipped filter", "evaluated", "". */
export const keyOf = ({ outcome, reason }: { outcome: string; reason: string }) => `${outcome} ${reason}`.trim();

export function kindOf(text: string): { outcome: string; reason: string } {
  const [outcome = "", reason = ""] = text.split(" ");
  return outcome in tones ? { outcome, reason } : { outcome: "", reason: "" };
}

export const sumOf = (totals: readonly { outcome: string; count: number }[], outcome?: Total["outcome"]): number =>
  totals.filter((total) => outcome === undefined || total.outcome === outcome).reduce((sum, { count }) => sum + count, 0);

/** What an evaluator did, over all rules: how often it ran, and how often without a score. */
export function runsOf(evaluatorId: string, counts: readonly DecisionCount[]): { runs: number; failed: number } {
  const own = counts.filter((count) => count.evaluatorId === evaluatorId);
  const failed = sumOf(own, "failed");
  return { runs: sumOf(own, "evaluated") + failed, failed };
}

export const jobWords: Record<Job["state"], { label: string; tone: BadgeTone }> = {
  queued: { label: "waits", tone: "neutral" },
  running: { label: "works", tone: "accent" },
  done: { label: "done", tone: "ok" },
  failed: { label: "failed", tone: "danger" },
  canceled: { label: "canceled", tone: "neutral" },
};

/** What a backfill did, once it is done. */
export function resultText(result: Job["result"]): string {
  const { evaluated = 0, skipped = 0, failed = 0 } = (result ?? {}) as Record<string, number>;
  return `${evaluated} evaluated, ${skipped} skipped, ${failed} failed`;
}
