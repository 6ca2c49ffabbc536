import type { components } from "@/shared/api/schema.d.ts";
import type { ChatMessage } from "@/shared/prompt/content";

export interface CodeTemplate {
  value: string;
  label: string;
  code: string;
}

/** Each runs as it is, on every observation. */
export const codeTemplates: readonly CodeTemplate[] = [
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
    value: "words", label: "Words that must not be said",
    code: `const forbidden = ["as an AI", "I cannot help"];

function evaluate(ctx: EvaluationContext): EvaluationResult {
  const text = JSON.stringify(ctx.observation.output ?? "").toLowerCase();
  const found = forbidden.filter((words) => text.includes(words.toLowerCase()));
  return { scores: [{ name: "wording", value: found.length === 0 ? "clean" : "forbidden", comment: found.join(", ") }] };
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

export interface JudgeTemplate {
  value: string;
  label: string;
  messages: ChatMessage[];
  output: components["schemas"]["EvaluatorOutput"];
}

export const judgeTemplates: readonly JudgeTemplate[] = [
  {
    value: "helpful", label: "Does the answer help?",
    messages: [{ role: "user", content: "Somebody asked:\n{{input}}\n\nThe answer was:\n{{output}}\n\nHow much does the answer help, from 0 (not at all) to 1 (fully)?" }],
    output: { dataType: "NUMERIC", minValue: 0, maxValue: 1 },
  },
  {
    value: "correct", label: "Is the answer what was expected?",
    messages: [{ role: "user", content: "Question:\n{{input}}\n\nAnswer:\n{{output}}\n\nExpected answer:\n{{expected_output}}\n\nDoes the answer say the same as the expected one?" }],
    output: { dataType: "BOOLEAN" },
  },
  {
    value: "tone", label: "How does it sound?",
    messages: [{ role: "user", content: "How does this answer sound to the customer?\n\n{{output}}" }],
    output: { dataType: "CATEGORICAL", categories: ["kind", "neutral", "rude"] },
  },
];
