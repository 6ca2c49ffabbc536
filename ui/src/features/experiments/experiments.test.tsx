// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Answers, Refusal, renderProjectPage, settle } from "@/shared/test/projectPage";
import { cleanup, click, get, press } from "@/shared/test/render";
import { ExperimentsPage } from "./ExperimentsPage";
import { ResultsPage } from "./ResultsPage";

vi.mock("@/shared/ui/ChartCanvas", () => ({ default: () => <div data-chart /> }));

afterEach(cleanup);

const body = () => document.body.textContent ?? "";
const experiment = (id: string, hour: string) => ({ id, name: `run ${id}`, description: null, startTime: `2026-11-15T${hour}:00:00.000Z`, endTime: `2026-11-15T${hour}:30:00.000Z`, itemCount: 2, datasetId: null });
const accuracy = { kind: "score", name: "accuracy", dataType: "NUMERIC" } as const;

describe("ExperimentsPage", () => {
  const answers: Answers = {
    "/api/public/experiments": () => ({ data: [experiment("b", "11"), experiment("a", "10")], meta: {} }),
    "/api/public/experiments/figures": (search) => ({ data: search.getAll("id").map((experimentId) => ({ ...accuracy, experimentId, count: 2, mean: experimentId === "a" ? 0.75 : 0.5, values: [] })) }),
  };

  it("lists runs with their scores, and compares those that are selected with the oldest of them", async () => {
    const at = await renderProjectPage("experiments", ExperimentsPage, "/project/p/experiments", answers);
    expect(body()).toContain("2 runs");
    expect(body()).toContain("no dataset");
    expect(body()).toContain("0.75");
    expect(document.querySelectorAll("figure")).toHaveLength(1);
    const ticks = [...document.querySelectorAll("tbody input[type=checkbox]")];
    for (const tick of ticks) await click(tick);
    await settle();
    expect(at.address()).toBe("/project/p/experiments?sel=b&sel=a");
    await click(get("button", "Compare 2 runs"));
    await settle();
    expect(at.address()).toBe("/project/p/experiments/results?baseline=a&c=b");
  });

  it("says what to do when there is none, and what failed", async () => {
    let fails = true;
    await renderProjectPage("experiments", ExperimentsPage, "/project/p/experiments", { "/api/public/experiments": () => (fails ? new Refusal(422, "Too many rows.") : { data: [], meta: {} }) });
    expect(body()).toContain("Too many rows.");
    fails = false;
    await click(get("button", "Try again"));
    await settle();
    expect(body()).toContain("run_experiment");
  });
});

describe("ResultsPage", () => {
  const change = { paired: 2, improved: 0, regressed: 1, changed: 1, same: 1, delta: -0.25, interval: { low: -3.427, high: 2.927 }, pValue: 0.5, test: "paired t-test", summary: "accuracy fell by 0.250 (95 % CI -3.427 to 2.927), p = 0.500, paired over 2 items" };
  const run = (experimentId: string, itemId: string, value: number, delta: number | null) => ({
    experimentId, traceId: `t-${experimentId}-${itemId}`, observationId: "o", startTime: "2026-11-15T10:00:00.000Z", endTime: null, level: "DEFAULT", totalCost: null,
    figures: [{ ...accuracy, value, delta, change: delta === null ? null : delta < 0 ? "regressed" : "same" }],
    input: `question ${itemId}`, output: `the answer of ${experimentId}`, expectedOutput: "the answer", cut: false,
  });
  const items = [
    { itemId: "one", runs: [run("a", "one", 0.75, null), run("b", "one", 0.25, -0.5)] },
    { itemId: "two", runs: [run("a", "two", 0.5, null), run("b", "two", 0.5, 0)] },
    { itemId: "gap", runs: [run("a", "gap", 0.5, null)] },
  ];
  const page = (data: unknown[]) => ({ data, meta: { page: 1, limit: 100, totalItems: data.length, totalPages: 1 } });
  const chosen = (search: URLSearchParams) => {
    const one = search.get("itemId");
    if (one !== null) return page(items.filter(({ itemId }) => itemId === one));
    return page(search.get("only") === "regressions" ? items.slice(0, 1) : items);
  };
  const answers = (asked: URLSearchParams[] = []): Answers => ({
    "/api/public/experiments": () => ({ data: [], meta: {} }),
    "/api/public/experiments/compare": () => ({
      experiments: [experiment("a", "10"), experiment("b", "11")],
      figures: [{ ...accuracy, lowerIsBetter: false, experiments: [{ experimentId: "a", count: 3, mean: 0.583, values: [], change: null }, { experimentId: "b", count: 2, mean: 0.375, values: [], change }] }],
    }),
    "/api/public/experiments/compare/items": (search) => (asked.push(search), chosen(search)),
  });
  const open = (more = "", asked: URLSearchParams[] = []) => renderProjectPage("experiments/results", ResultsPage, `/project/p/experiments/results?baseline=a&c=b${more}`, answers(asked));

  it("says in a sentence what changed, and shows gaps as gaps", async () => {
    await open();
    expect(body()).toContain(change.summary);
    expect(body()).toContain("3 items");
    expect(body()).toContain("Not run");
  });

  it("has the server find the regressions, and keeps that in the address", async () => {
    const asked: URLSearchParams[] = [];
    const at = await open("", asked);
    await click(get("switch"));
    await settle();
    expect(at.address()).toBe("/project/p/experiments/results?baseline=a&c=b&only=regressions");
    expect(asked.at(-1)?.get("only")).toBe("regressions");
    expect(body()).toContain("1 item");
    expect(body()).not.toContain("question two");
    await click(get("button", "Show the 1 regressions of accuracy"));
    await settle();
    expect(asked.at(-1)?.get("score")).toBe("accuracy");
  });

  it("tells the server of which score less is better", async () => {
    const asked: URLSearchParams[] = [];
    const at = await open("", asked);
    await click(get("button", "More of accuracy is better; press for less"));
    await settle();
    expect(at.address()).toContain("lower=accuracy");
    expect(asked.at(-1)?.getAll("lowerIsBetter")).toEqual(["accuracy"]);
  });

  it("opens an item beside the list and turns to the next by keys", async () => {
    const at = await open();
    await click(get("button", "one"));
    await settle();
    expect(at.address()).toContain("item=one");
    expect(get("dialog").textContent).toContain("1 of 3");
    get("button", "Next item").focus();
    await press("ArrowRight");
    await settle();
    expect(at.address()).toContain("item=two");
    expect(get("dialog").textContent).toContain("question two");
  });

  it("draws points with a summary, and the same as a table", async () => {
    await open("&plot=1&x=score.numeric.accuracy&y=score.numeric.accuracy");
    expect(body()).toContain("B is above the baseline for 0, below for 1 and equal for 1");
    await click(get("button", "View items as table"));
    await settle();
    expect(get("table", "Points").textContent).toContain("one");
  });

  it("shows why there is nothing to compare", async () => {
    await renderProjectPage("experiments/results", ResultsPage, "/project/p/experiments/results?baseline=x", { ...answers(), "/api/public/experiments/compare": () => new Refusal(404, 'There is no experiment "x"') });
    expect(body()).toContain('There is no experiment "x"');
    cleanup();
    await renderProjectPage("experiments/results", ResultsPage, "/project/p/experiments/results", answers());
    expect(body()).toContain("No baseline is chosen");
  });
});
