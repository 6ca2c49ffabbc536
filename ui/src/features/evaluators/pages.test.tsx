// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import { cleanup, click, get } from "@/shared/test/render";
import { renderInProject, settle } from "@/shared/test/renderInProject";
import { BackfillDialog } from "./BackfillDialog";
import { DecisionLog } from "./DecisionLog";
import { EvaluatorsPage } from "./EvaluatorsPage";
import { NewEvaluatorPage } from "./NewEvaluatorPage";
import type { Evaluator, Rule } from "./api";

beforeAll(() => vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener: () => undefined, removeEventListener: () => undefined })));
afterEach(cleanup);

const text = () => document.body.textContent ?? "";
const evaluator = { id: "e1", name: "Length", type: "code", status: "active", version: 3, versionCreatedAt: "2026-05-01T00:00:00Z", evaluationRuleAssignments: [{ evaluationRuleId: "r1" }] };
const rule = { id: "r1", name: "Answers", enabled: true, sampling: 0.5, filter: [], evaluatorAssignments: [{ evaluatorId: "e1" }], maxRunsPerDay: 100, maxCostPerDay: null };
const counts = [{ evaluatorId: "e1", outcome: "evaluated", reason: null, count: 7, cost: "0" }, { evaluatorId: "e1", outcome: "failed", reason: "threw", count: 2, cost: "0" }, { evaluatorId: null, outcome: "skipped", reason: "filter", count: 5, cost: "0" }];
const base = "/api/public/v2/evaluation-rules";
const answers = {
  "GET /api/public/v2/evaluators": () => ({ data: [evaluator], meta: {} }),
  [`GET ${base}`]: () => ({ data: [rule], meta: {} }),
  [`GET ${base}/{evaluationRuleId}/decision-counts`]: () => ({ data: counts }),
};

describe("EvaluatorsPage", () => {
  it("says what evaluators and rules did", async () => {
    await renderInProject(EvaluatorsPage, answers);
    expect(text()).toContain("9, 2 failed");
    expect(text()).toContain("14 (7 evaluated, 2 failed)");
    expect(text()).toContain("100 runs a day");
  });

  it("says what to do where there are none, and offers it to those who may", async () => {
    const none = { ...answers, "GET /api/public/v2/evaluators": () => ({ data: [], meta: {} }), [`GET ${base}`]: () => ({ data: [], meta: {} }) };
    await renderInProject(EvaluatorsPage, none, { role: "VIEWER" });
    expect(text()).toContain("No evaluators yet");
    expect(text()).toContain("Make an evaluator first.");
    expect(text()).not.toContain("New evaluator");
  });

  it("says what went wrong, and tries again", async () => {
    let broken = true;
    await renderInProject(EvaluatorsPage, { ...answers, "GET /api/public/v2/evaluators": () => {
      if (broken) throw new ApiError(503, "Starting", undefined, "req-1");
      return { data: [evaluator], meta: {} };
    } });
    expect(text()).toContain("req-1");
    broken = false;
    await act(async () => get("button", "Try again").click());
    await settle();
    expect(text()).toContain("Length");
  });
});

describe("NewEvaluatorPage", () => {
  it("says what is missing instead of sending it", async () => {
    await renderInProject(NewEvaluatorPage, { "GET /api/public/v2/observations": () => ({ data: [], meta: {} }) });
    await click(get("button", "Create evaluator"));
    expect(text()).toContain("Give it a name.");
  });

  it("is for members", async () => {
    await renderInProject(NewEvaluatorPage, {}, { role: "VIEWER" });
    expect(text()).toContain("Evaluators are made by members");
  });

  it("tells a judge's maker that no model can be asked", async () => {
    await renderInProject(NewEvaluatorPage, { "GET /api/public/v2/observations": () => ({ data: [], meta: {} }), "GET /api/public/playground/models": () => ({ data: [] }) }, { search: "?kind=judge" });
    expect(text()).toContain("No model can be asked yet.");
    expect(text()).toContain("{{input}}");
  });
});

describe("DecisionLog", () => {
  const Log = () => <DecisionLog ruleId="r1" evaluators={[evaluator as unknown as Evaluator]} />;
  it("asks for the kind that was chosen, and keeps it in the address", async () => {
    const asked: unknown[] = [];
    const router = await renderInProject(Log, { ...answers, [`GET ${base}/{evaluationRuleId}/decisions`]: ({ params }) => {
      asked.push(params?.query);
      return { data: [], meta: {} };
    } });
    await click(get("button", "failed: the code ended with an error2"));
    await settle();
    expect(router.state.location.search).toEqual({ decision: "failed threw" });
    expect(asked.at(-1)).toEqual({ limit: "50", outcome: "failed", reason: "threw" });
    expect(text()).toContain("No such decisions");
  });
});

describe("BackfillDialog", () => {
  const Dialog = () => <BackfillDialog rule={rule as unknown as Rule} onClose={() => undefined} />;
  const estimate = (cost: string | null, rows = 100) => ({ [`GET ${base}/{evaluationRuleId}/estimate`]: () => ({ rows, matching: 40, sampled: 20, runs: 20, cost }), "GET /api/public/jobs": () => ({ data: [] }) });

  it("starts what it has estimated", async () => {
    const sent: unknown[] = [];
    await renderInProject(Dialog, { ...estimate("0.02"), "POST /api/public/jobs": ({ body }) => (sent.push(body), { id: "j1" }) });
    expect(text()).toContain("$0.02");
    await click(get("button", "Start 20 runs"));
    await settle();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ kind: "evaluate", ruleId: "r1", maxRuns: null, maxCost: null });
  });

  it("says that it does not know the cost, and starts nothing where there is nothing to do", async () => {
    await renderInProject(Dialog, estimate(null, 0));
    expect(text()).toContain("not known");
    expect((get("button", "Start 20 runs") as HTMLButtonElement).disabled).toBe(true);
  });
});
