import type { Message } from "@/shared/chat/message";
import type { TraceRows } from "./rows";

/** agent: a group. said: what a model was asked and answered. step: a tool, or something else that is folded. turn: a plain row with an
 * input and an output, where there is no model to listen to. */
export type TranscriptKind = "agent" | "said" | "step" | "turn";

export interface TranscriptItem {
  row: number;
  kind: TranscriptKind;
  /** How many agents it is below. */
  depth: number;
  /** The first time that a model is asked in its group: instructions and question are new. */
  opening: boolean;
}

const stepTypes = new Set(["TOOL", "RETRIEVER", "EMBEDDING", "GUARDRAIL", "EVALUATOR"]);

/** The rows of a tree that take part in the conversation, in their order. A trace without any is told by its roots. */
export function transcriptOf(rows: TraceRows, shown: Int32Array): TranscriptItem[] {
  const items: TranscriptItem[] = [];
  const groups = agentsAbove(rows, (shown.at(-1) ?? -1) + 1);
  const opened = new Set<number>();
  for (const row of shown) {
    const kind = kindOf(rows, row);
    if (kind === null) continue;
    const opening = kind === "said" && !opened.has(groups.above[row]!);
    if (opening) opened.add(groups.above[row]!);
    items.push({ row, kind, depth: groups.depth[row]!, opening });
  }
  if (items.some(({ kind }) => kind !== "step")) return items;
  return Array.from(shown).filter((row) => !rows.isSynthetic(row) && (rows.parent[row]! < 0 || rows.isSynthetic(rows.parent[row]!) || kindOf(rows, row) === "step"))
    .map((row) => ({ row, kind: kindOf(rows, row) ?? "turn", depth: 0, opening: false }));
}

function kindOf(rows: TraceRows, row: number): TranscriptKind | null {
  const type = rows.typeOf(row);
  if (rows.isSynthetic(row)) return null;
  if (type === "AGENT") return "agent";
  if (type === "GENERATION") return "said";
  return stepTypes.has(type) || (rows.isError(row) && rows.children[row] === 0) ? "step" : null;
}

/** The nearest agent above each of the first rows, -1 without one, and how many agents there are above. */
function agentsAbove(rows: TraceRows, length: number): { above: Int32Array; depth: Int32Array } {
  const above = new Int32Array(length).fill(-1);
  const depth = new Int32Array(length);
  for (let row = 0; row < length; row++) {
    const parent = rows.parent[row]!;
    if (parent < 0) continue;
    above[row] = rows.typeOf(parent) === "AGENT" ? parent : above[parent]!;
    depth[row] = above[row]! < 0 ? 0 : depth[above[row]!]! + 1;
  }
  return { above, depth };
}

/** What a model is told that it, or who read this far, did not know. Clients send the whole history with every question; results of
 * tools stand in rows of their own. */
export function newMessages(input: readonly Message[], opening: boolean): Message[] {
  if (opening) return [...input];
  const answered = input.findLastIndex(({ role }) => role === "assistant");
  return input.slice(answered + 1).filter(({ role, parts }) => role !== "tool" && role !== "system" && parts.some(({ kind }) => kind !== "result"));
}
