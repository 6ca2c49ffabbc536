// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { Refusal, renderProjectPage, settle } from "@/shared/test/projectPage";
import { cleanup, click, get } from "@/shared/test/render";
import { ToastProvider } from "@/shared/ui/Toast";
import { AnalyticsPage } from "./AnalyticsPage";
import { ScoresPage } from "./ScoresPage";

vi.mock("@/shared/ui/ChartCanvas", () => ({ default: () => <div data-chart /> }));
afterEach(cleanup);

const body = () => document.body.textContent ?? "";
const score = {
  id: "s1", projectId: "p", name: "tone", dataType: "CATEGORICAL", value: "Kind", source: "ANNOTATION", timestamp: "2026-11-15T10:00:00Z", environment: "default", createdAt: "", updatedAt: "",
  comment: "warm", configId: "c1", metadata: {}, subject: { kind: "trace", id: "t1" }, authorUserId: "u1", queueId: null,
};
const people = { "/api/public/organizations/memberships": () => ({ memberships: [{ userId: "u1", name: "Ada", email: "a@example.com" }] }) };
const page = (data: unknown[]) => ({ data, meta: { limit: 100 } });
const List = () => <ToastProvider><ScoresPage /></ToastProvider>;

describe("ScoresPage", () => {
  it("shows who said what of which trace, and asks by the conditions of the address", async () => {
    const asked: URLSearchParams[] = [];
    await renderProjectPage("scores", List, "/project/p/scores?q=name:tone+value:%3C0.5", { ...people, "/api/public/v3/scores": (search) => (asked.push(search), page([score])) });
    for (const words of ["tone", "Kind", "Person", "Ada", "warm", "Trace t1"]) expect(body()).toContain(words);
    expect(JSON.parse(asked[0]?.get("filter") ?? "")).toMatchObject([{ column: "name", value: ["tone"] }, { column: "value", operator: "<", value: 0.5 }]);
  });

  it("says which column a bare word lacks", async () => {
    await renderProjectPage("scores", List, "/project/p/scores?q=kind", { ...people, "/api/public/v3/scores": () => page([]) });
    expect(body()).toContain("Say which column: name:kind");
  });

  it("deletes what is chosen only after it was typed", async () => {
    await renderProjectPage("scores", List, "/project/p/scores", { ...people, "/api/public/v3/scores": () => page([score]) });
    await click(document.querySelector("tbody input[type=checkbox]")!);
    await click(get("button", "Delete 1"));
    expect(body()).toContain("Type delete 1 to confirm");
    expect((get("button", "Delete 1 score") as HTMLButtonElement).disabled).toBe(true);
  });

  it("says what failed", async () => {
    await renderProjectPage("scores", List, "/project/p/scores", { ...people, "/api/public/v3/scores": () => new Refusal(422, "Too much.") });
    expect(body()).toContain("Too much.");
    expect(body()).toContain("REQ1");
  });
});

describe("AnalyticsPage", () => {
  const side = { dataType: "BOOLEAN", count: 4, mean: 0.75, median: 1, min: 0, max: 1, distribution: [{ label: "True", from: null, to: null, count: 3 }, { label: "False", from: null, to: null, count: 1 }], trend: [{ time: "2026-11-15T00:00:00Z", count: 4, mean: 0.75, counts: [3, 1] }] };
  const agreement = { pairs: 4, onlyA: 1, onlyB: 0, share: 0.75, expectedShare: 0.5, kappa: 0.5, weightedKappa: null, pearson: 0.58, spearman: 0.58, meanAbsoluteError: 0.25, matrix: { a: ["False", "True"], b: ["False", "True"], counts: [[1, 0], [1, 2]] } };
  const kinds = { data: [{ name: "helpful", dataType: "BOOLEAN", source: "ANNOTATION", authorUserId: "u1", count: 4 }, { name: "correct", dataType: "BOOLEAN", source: "API", authorUserId: null, count: 9 }] };

  it("begins with the most frequent score, and explains two", async () => {
    const asked: URLSearchParams[] = [];
    const answers = { ...people, "/api/public/score-kinds": () => kinds, "/api/public/score-analytics": (search: URLSearchParams) => (asked.push(search), { a: side, b: search.has("b") ? side : null, agreement: search.has("b") ? agreement : null, meta: { bucketSeconds: 3600 } }) };
    const at = await renderProjectPage("scores/analytics", AnalyticsPage, "/project/p/scores/analytics", answers);
    expect(JSON.parse(asked[0]?.get("a") ?? "")[0]).toMatchObject({ column: "name", value: ["correct"] });
    expect(body()).toMatch(/3 · 75(\.0)?.%/);
    await click([...document.querySelectorAll("button")].find((button) => button.textContent?.includes("Another score"))!);
    await click([...document.querySelectorAll("[role=option]")].find((option) => option.textContent?.includes("helpful"))!);
    await settle();
    expect(decodeURIComponent(at.address())).toContain("b=name:helpful");
    expect(body()).toContain("Cohen's kappa of 0.5 means moderate agreement beyond chance");
    expect(document.querySelectorAll("table tbody tr")).toHaveLength(2);
  });

  it("says what to do where there are no scores", async () => {
    await renderProjectPage("scores/analytics", AnalyticsPage, "/project/p/scores/analytics", { ...people, "/api/public/score-kinds": () => ({ data: [] }) });
    expect(body()).toContain("No scores in this time");
  });
});
