import { describe, expect, it } from "vitest";
import { isChanged, labelsProblem, listOf, nameProblem, problemOf } from "./draft";
import { isFound, listFolder, type PromptSummary, trailOf } from "./folders";
import { snippetOf } from "./snippets";

const prompt = (name: string, lastUpdatedAt = "2026-05-01T00:00:00Z"): PromptSummary => ({ name, type: "text", versions: [1], labels: ["production"], tags: ["billing"], lastUpdatedAt, lastConfig: {} });
const all = [prompt("a/b/one", "2026-05-03T00:00:00Z"), prompt("a/two"), prompt("a"), prompt("top"), prompt("z/x")];

describe("folders", () => {
  it("hold what is below them, and count it", () => {
    const top = listFolder(all, "");
    expect(top.folders).toEqual([
      { name: "a", path: "a", prompts: 2, changedAt: "2026-05-03T00:00:00Z" },
      { name: "z", path: "z", prompts: 1, changedAt: "2026-05-01T00:00:00Z" },
    ]);
    expect(top.prompts.map(({ name }) => name)).toEqual(["a", "top"]);
    expect(listFolder(all, "a").folders.map(({ path }) => path)).toEqual(["a/b"]);
    expect(listFolder(all, "a").prompts.map(({ name }) => name)).toEqual(["a/two"]);
    expect(listFolder(all, "nothing")).toEqual({ folders: [], prompts: [] });
  });

  it("have a way from the top", () => {
    expect(trailOf("a/b")).toEqual([{ name: "a", path: "a" }, { name: "b", path: "a/b" }]);
    expect(trailOf("")).toEqual([]);
  });

  it("are searched by name, label and tag", () => {
    expect(isFound(prompt("a/b/One"), "one BILL")).toBe(true);
    expect(isFound(prompt("a/b/one"), "one staging")).toBe(false);
  });
});

describe("drafts", () => {
  const text = { content: "Hi {{who}}", config: "{}" };
  it("say what keeps them from being saved", () => {
    expect(problemOf(text)).toBeUndefined();
    expect(problemOf({ ...text, config: "{" })).toContain("no JSON");
    expect(problemOf({ content: [{ type: "placeholder", name: "who" }, { role: "user", content: "{{who}}" }], config: "{}" })).toContain("both called who");
    expect(problemOf({ content: [{ type: "placeholder", name: "1" }], config: "{}" })).toContain("begin with a letter");
  });

  it("know whether something changed", () => {
    expect(isChanged(text, { ...text })).toBe(false);
    expect(isChanged(text, { ...text, config: "{ }" })).toBe(true);
    expect(isChanged(text, { ...text, content: "Hi" })).toBe(true);
  });

  it("have names that addresses and tags can carry", () => {
    expect(nameProblem("support/answer")).toBeUndefined();
    for (const bad of ["", " ", "a|b", "<b>", "/a", "a/", "a//b", "new"]) expect(nameProblem(bad), bad).toBeDefined();
  });

  it("have labels that the server takes", () => {
    expect(listOf(" staging, staging ,,eu-1 ")).toEqual(["staging", "eu-1"]);
    expect(labelsProblem(["staging", "eu-1"])).toBeUndefined();
    expect(labelsProblem(["latest"])).toContain("anyway");
    expect(labelsProblem(["Staging"])).toBeDefined();
  });
});

describe("snippets", () => {
  const fetched = { name: "support/answer", type: "chat" as const, label: "production", version: 3, variables: ["shop", "question"], baseUrl: "https://sonde.example.com" };
  it("fetch by label where the version has one, else by number", () => {
    expect(snippetOf("python", fetched)).toContain('langfuse.get_prompt("support/answer", label="production", type="chat")');
    expect(snippetOf("python", fetched)).toContain('prompt.compile(shop="...", question="...")');
    expect(snippetOf("js", { ...fetched, label: undefined })).toContain('langfuse.prompt.get("support/answer", { version: 3, type: "chat" })');
    expect(snippetOf("curl", fetched)).toContain("/api/public/v2/prompts/support%2Fanswer?label=production");
  });
});
