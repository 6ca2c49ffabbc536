import type { components } from "@/shared/api/schema.d.ts";
import type { ChatMessage } from "@/shared/prompt/content";
import type { Evaluator, EvaluatorDraft, EvaluatorVersion } from "./api";
import { codeTemplates, judgeTemplates } from "./templates";

export type Kind = Evaluator["type"];
export type Mapping = components["schemas"]["VariableMapping"];
export type Output = components["schemas"]["EvaluatorOutput"];

export const kindNames: Record<Kind, string> = { code: "Code", llm_as_judge: "LLM judge" };

/** Where the value of a variable comes from, in the words of people. */
export const sources = [
  { value: "input", label: "Input" },
  { value: "output", label: "Output" },
  { value: "expected_output", label: "Expected output" },
  { value: "metadata", label: "Metadata" },
  { value: "tool_calls", label: "Tool calls" },
  { value: "experiment_item_metadata", label: "Metadata of the experiment's item" },
] as const satisfies readonly { value: Mapping["source"]; label: string }[];

/** A definition while it is written. Both kinds are kept, so that changing the kind of a new one loses nothing. */
export interface Draft {
  kind: Kind;
  name: string;
  description: string;
  code: string;
  messages: ChatMessage[];
  /** Null: the project's default. */
  model: { provider: string; model: string } | null;
  /** What somebody chose; the rest follows from names. */
  mapping: Mapping[];
  output: Output;
}

export function newDraft(kind: Kind): Draft {
  const judge = judgeTemplates[0]!;
  return { kind, name: "", description: "", code: codeTemplates[0]!.code, messages: judge.messages, model: null, mapping: [], output: judge.output };
}

export function draftOf({ name, description, type }: Evaluator, version: Evaluator | EvaluatorVersion): Draft {
  return {
    kind: type, name, description: description ?? "", code: version.sourceCode ?? "", messages: version.prompt ?? [], model: version.modelConfig ?? null,
    mapping: version.variableMapping ?? [], output: version.outputDefinition ?? { dataType: "NUMERIC" },
  };
}

// As the server reads them.
const variable = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** The variables of messages, each once, in the order of their first use. */
export function variablesOf(messages: readonly ChatMessage[]): string[] {
  return [...new Set(messages.flatMap(({ content }) => [...content.matchAll(variable)].map(([, name]) => name!)))];
}

const meant: Record<string, Mapping["source"]> = {
  input: "input", query: "input", question: "input", output: "output", generation: "output", answer: "output", response: "output",
  metadata: "metadata", tool_calls: "tool_calls", expected_output: "expected_output", ground_truth: "expected_output", experiment_item_metadata: "experiment_item_metadata",
};

/** The mapping of every variable: what was chosen, else what its name means; undefined: nothing says where it comes from. */
export function mappingsOf({ messages, mapping }: Pick<Draft, "messages" | "mapping">): { variable: string; source: Mapping["source"] | undefined; jsonPath: string }[] {
  return variablesOf(messages).map((name) => {
    const chosen = mapping.find((one) => one.variable === name);
    return { variable: name, source: chosen?.source ?? meant[name.toLowerCase()], jsonPath: chosen?.jsonPath ?? "" };
  });
}

/** Why a draft cannot be saved; undefined: it can. The server has further rules, and the last word. */
export function problemOf(draft: Draft): string | undefined {
  if (draft.name.trim() === "") return "Give it a name.";
  if (draft.kind === "code") return draft.code.trim() === "" ? "Write a function evaluate." : undefined;
  if (draft.messages.every(({ content }) => content.trim() === "")) return "Write what the model is asked.";
  const missing = mappingsOf(draft).find(({ source }) => source === undefined);
  if (missing !== undefined) return `Say where the value of ${missing.variable} comes from.`;
  const { dataType, categories, minValue, maxValue } = draft.output;
  if (dataType === "CATEGORICAL" && new Set(categories).size < 2) return "Write at least two categories, each on a line.";
  if (dataType === "NUMERIC" && typeof minValue === "number" && typeof maxValue === "number" && minValue > maxValue) return "The lowest score is above the highest.";
  return undefined;
}

/** What is sent: only what the kind has. */
export function bodyOf(draft: Draft): EvaluatorDraft {
  const about = { type: draft.kind, name: draft.name.trim(), description: draft.description.trim() || null };
  if (draft.kind === "code") return { ...about, sourceCode: draft.code, sourceCodeLanguage: "TYPESCRIPT" };
  const variableMapping = mappingsOf(draft).flatMap(({ variable: name, source, jsonPath }) => (source === undefined ? [] : [{ variable: name, source, ...(jsonPath.trim() !== "" && { jsonPath: jsonPath.trim() }) }]));
  return { ...about, prompt: draft.messages.filter(({ content }) => content.trim() !== "") as never, modelConfig: draft.model, variableMapping, outputDefinition: outputOf(draft.output) };
}

/** An output has only the members of its type. */
function outputOf({ dataType, minValue, maxValue, categories, shouldAllowMultipleMatches, scoreReasoningInstructions, scoreValueInstructions }: Output): Output {
  return {
    dataType,
    ...(dataType === "NUMERIC" && typeof minValue === "number" && { minValue }), ...(dataType === "NUMERIC" && typeof maxValue === "number" && { maxValue }),
    ...(dataType === "CATEGORICAL" && { categories: categories ?? [], shouldAllowMultipleMatches: shouldAllowMultipleMatches ?? false }),
    ...(scoreReasoningInstructions && { scoreReasoningInstructions }), ...(scoreValueInstructions && { scoreValueInstructions }),
  };
}

/** What a definition says, as one text to compare line by line. Names are no part of it: they have no versions. */
export function printDraft(draft: Draft): string {
  if (draft.kind === "code") return draft.code;
  const { modelConfig, outputDefinition } = bodyOf(draft);
  const mapping = mappingsOf(draft).map(({ variable: name, source, jsonPath }) => `{{${name}}} = ${source ?? "?"}${jsonPath}`);
  const parts = draft.messages.map(({ role, content }) => `── ${role} ──\n${content}`);
  parts.push(`── variables ──\n${mapping.join("\n")}`);
  parts.push(`── model ──\n${modelConfig ? `${modelConfig.provider} ${modelConfig.model}` : "the project's default"}`);
  parts.push(`── score ──\n${JSON.stringify(outputDefinition, null, 2)}`);
  return parts.join("\n\n");
}

export const isRenamed = (before: Draft, now: Draft) => before.name !== now.name.trim() || before.description !== now.description.trim();
export const isRewritten = (before: Draft, now: Draft) => printDraft(before) !== printDraft(now);
