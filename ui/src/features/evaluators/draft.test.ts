import { describe, expect, it } from "vitest";
import type { Evaluator } from "./api";
import { bodyOf, type Draft, draftOf, isRenamed, isRewritten, mappingsOf, newDraft, printDraft, problemOf, variablesOf } from "./draft";
import { codeTemplates, judgeTemplates } from "./templates";

const judge = (patch: Partial<Draft> = {}): Draft => ({ ...newDraft("llm_as_judge"), name: "Helpfulness", ...patch });
const asking = (content: string) => judge({ messages: [{ role: "user", content }] });

describe("a definition that is written", () => {
  it("has variables, each once, in the order of their first use", () => {
    expect(variablesOf([{ role: "system", content: "{{ b }} and {{a}}" }, { role: "user", content: "{{a}} {{c.d}} {{}} {{ two words }}" }])).toEqual(["b", "a", "c.d"]);
  });

  it("maps variables by what was chosen, then by what their names mean, and says which are left", () => {
    const draft = { ...asking("{{Question}} {{output}} {{context}}"), mapping: [{ variable: "output", source: "metadata" as const, jsonPath: "$.a" }, { variable: "gone", source: "input" as const }] };
    expect(mappingsOf(draft)).toEqual([
      { variable: "Question", source: "input", jsonPath: "" }, { variable: "output", source: "metadata", jsonPath: "$.a" }, { variable: "context", source: undefined, jsonPath: "" },
    ]);
    expect(problemOf(draft)).toContain("context");
  });

  it("sends only what its kind has, and no mapping of what is not in the prompt", () => {
    const both = judge({ mapping: [{ variable: "gone", source: "input" }], model: { provider: "gateway", model: "echo" } });
    expect(Object.keys(bodyOf({ ...both, kind: "code" })).toSorted()).toEqual(["description", "name", "sourceCode", "sourceCodeLanguage", "type"]);
    const sent = bodyOf(both);
    expect(sent.sourceCode).toBeUndefined();
    expect(sent.variableMapping).toEqual([{ variable: "input", source: "input" }, { variable: "output", source: "output" }]);
  });

  it("sends of a score only what its type has", () => {
    const output = { dataType: "NUMERIC" as const, minValue: 0, maxValue: 5, categories: ["a", "b"], shouldAllowMultipleMatches: true };
    expect(bodyOf(judge({ output })).outputDefinition).toEqual({ dataType: "NUMERIC", minValue: 0, maxValue: 5 });
    expect(bodyOf(judge({ output: { ...output, dataType: "CATEGORICAL" } })).outputDefinition).toEqual({ dataType: "CATEGORICAL", categories: ["a", "b"], shouldAllowMultipleMatches: true });
    expect(bodyOf(judge({ output: { ...output, dataType: "BOOLEAN" } })).outputDefinition).toEqual({ dataType: "BOOLEAN" });
  });

  it.each([
    [judge({ name: " " }), "name"],
    [asking("  "), "asked"],
    [judge({ output: { dataType: "CATEGORICAL", categories: ["a", "a"] } }), "two categories"],
    [judge({ output: { dataType: "NUMERIC", minValue: 2, maxValue: 1 } }), "above the highest"],
    [{ ...newDraft("code"), name: "x", code: " \n" }, "function evaluate"],
  ])("says what is missing (%#)", (draft, word) => expect(problemOf(draft)).toContain(word));

  it("is complete with each template and a name", () => {
    for (const { code } of codeTemplates) expect(problemOf({ ...newDraft("code"), name: "x", code })).toBeUndefined();
    for (const { messages, output } of judgeTemplates) expect(problemOf(judge({ messages, output }))).toBeUndefined();
  });

  it("is the same after it was saved and read", () => {
    const draft = judge({ model: { provider: "gateway", model: "echo" }, mapping: [{ variable: "input", source: "metadata", jsonPath: "$.q" }] });
    const { type, name, prompt, ...rest } = bodyOf(draft);
    const stored = { ...rest, type, name, prompt } as unknown as Evaluator;
    expect(isRewritten(draftOf(stored, stored), draft)).toBe(false);
  });

  it("knows a change of the name from one of the definition", () => {
    const before = judge();
    expect([isRenamed(before, { ...before, name: "Other " }), isRewritten(before, { ...before, name: "Other" })]).toEqual([true, false]);
    const other = { ...before, output: { dataType: "BOOLEAN" as const } };
    expect([isRenamed(before, other), isRewritten(before, other)]).toEqual([false, true]);
    expect(printDraft(other)).toContain("BOOLEAN");
  });
});
