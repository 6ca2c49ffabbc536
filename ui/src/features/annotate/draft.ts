import { problemsOf } from "@/shared/score/scores";
import type { QueueItem, ScoreConfig } from "./api";

/** What a reviewer noted of an item. It is what the server keeps while they work. */
export interface ReviewDraft {
  /** By config: the value as typed or picked. */
  scores: Record<string, { value: string; comment: string }>;
  /** What the output should have been; null: nothing to correct. */
  correction: string | null;
}

export const emptyDraft: ReviewDraft = { scores: {}, correction: null };

/** Reads what the server kept. Whatever is not understood is left out. */
export function readDraft(kept: unknown): ReviewDraft {
  if (typeof kept !== "object" || kept === null) return emptyDraft;
  const { scores, correction } = kept as Partial<ReviewDraft>;
  const known = typeof scores === "object" && scores !== null ? Object.entries(scores).filter(([, score]) => typeof score?.value === "string") : [];
  return { scores: Object.fromEntries(known.map(([id, { value, comment }]) => [id, { value, comment: comment ?? "" }])), correction: typeof correction === "string" ? correction : null };
}

export function withScore(draft: ReviewDraft, configId: string, change: Partial<{ value: string; comment: string }>): ReviewDraft {
  return { ...draft, scores: { ...draft.scores, [configId]: { value: "", comment: "", ...draft.scores[configId], ...change } } };
}

/** What digits choose from, in order; none for fields that are typed into. */
export function choicesOf({ dataType, categories }: ScoreConfig): { value: string; label: string }[] {
  if (dataType === "BOOLEAN") return [{ value: "1", label: "Yes" }, { value: "0", label: "No" }];
  return dataType === "CATEGORICAL" ? (categories ?? []).map(({ label }) => ({ value: label, label })) : [];
}

/** What is wrong with a draft, by config; under "" what is wrong with all of it. Fields may stay empty, but not all of them. */
export function problemsIn(draft: ReviewDraft, configs: readonly ScoreConfig[]): Map<string, string> {
  const problems = new Map<string, string>();
  const given = configs.filter(({ id }) => (draft.scores[id]?.value ?? "").trim() !== "");
  for (const config of given) {
    const { value } = problemsOf({ config, name: config.name, dataType: config.dataType, value: draft.scores[config.id]!.value, comment: "" });
    if (value !== undefined) problems.set(config.id, value);
  }
  if (given.length === 0 && (draft.correction ?? "") === "") problems.set("", "Give at least one score, or skip the item.");
  return problems;
}

/** Where scores of an item belong. */
export interface Target {
  traceId?: string;
  observationId?: string;
  sessionId?: string;
}

export function targetOf({ objectType, objectId }: QueueItem, traceId: string | null): Target | null {
  if (objectType === "SESSION") return { sessionId: objectId };
  if (objectType === "TRACE") return { traceId: objectId };
  return traceId === null ? null : { traceId, observationId: objectId };
}

/** The same review of the same person has the same scores, however often it is sent. */
export const scoreId = (itemId: string, userId: string, what: string) => `review-${itemId}-${userId}-${what}`;

/** The scores of a draft, as the server takes them. */
export function scoresOf(draft: ReviewDraft, configs: readonly ScoreConfig[], item: QueueItem, target: Target, userId: string) {
  const common = { ...target, queueId: item.queueId, source: "ANNOTATION" as const };
  const given = configs.flatMap(({ id, name, dataType }) => {
    const { value = "", comment = "" } = draft.scores[id] ?? {};
    if (value.trim() === "") return [];
    const sent = dataType === "NUMERIC" || dataType === "BOOLEAN" ? Number(value) : value;
    return [{ ...common, id: scoreId(item.id, userId, id), name, dataType, configId: id, value: sent, ...(comment.trim() === "" ? {} : { comment: comment.trim() }) }];
  });
  if (!draft.correction || item.objectType === "SESSION") return given;
  return [...given, { ...common, id: scoreId(item.id, userId, "output"), name: "output", dataType: "CORRECTION" as const, value: draft.correction }];
}
