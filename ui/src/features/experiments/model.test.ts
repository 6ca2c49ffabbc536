import { describe, expect, it } from "vitest";
import type { ComparedItem, Experiment, ExperimentFigure, FigureValue } from "./api";
import { byExperiment, courseOf, deltaText, type Figure, figureText, figuresOf, pointsOf, scatterSummary, sidesOf, ticksOf, valueText } from "./model";

const accuracy: Figure = { kind: "score", name: "accuracy", dataType: "NUMERIC" };
const correct: Figure = { kind: "score", name: "correct", dataType: "BOOLEAN" };
const latency: Figure = { kind: "latency", name: "latency", dataType: "NUMERIC" };
const cost: Figure = { kind: "cost", name: "cost", dataType: "NUMERIC" };
const of = (figure: Figure, value: number | string): FigureValue => ({ ...figure, value, delta: null, change: null });
const experiment = (id: string, startTime: string): Experiment => ({ id, name: `run ${id}`, description: null, startTime, endTime: startTime, itemCount: 2, datasetId: null });

describe("texts of figures", () => {
  it("have their unit, and a gap is not zero", () => {
    expect(figureText(accuracy, 0.84321)).toBe("0.843");
    expect(figureText(accuracy, 0.00012345)).toBe("0.00012");
    expect(figureText(correct, 0.8)).toBe("80.0 %");
    expect(figureText(latency, 1.5)).toBe("1.50 s");
    expect(figureText(cost, 0.0025)).toBe("$0.0025");
    expect(figureText(accuracy, null)).toBe("–");
    expect(figureText(accuracy, 0)).toBe("0");
    expect(valueText(of(correct, 1))).toBe("yes");
    expect(valueText(of({ ...accuracy, dataType: "CATEGORICAL" }, "calm"))).toBe("calm");
  });
  it("say how they differ, with a sign", () => {
    expect(deltaText(accuracy, 0.25)).toBe("+0.25");
    expect(deltaText(accuracy, -0.25)).toBe("−0.25");
    expect(deltaText(correct, -0.05)).toBe("−5.0 %");
    expect(deltaText(latency, 0.2)).toBe("+200 ms");
    expect(deltaText(accuracy, 0)).toBe("0");
    expect(deltaText(accuracy, null)).toBe("–");
  });
});

describe("runs over time", () => {
  const figure = (experimentId: string, mean: number): ExperimentFigure => ({ ...accuracy, experimentId, count: 1, mean, values: [] });
  it("begin with the oldest, and a missing figure is a gap", () => {
    const runs = [experiment("c", "2026-05-01T10:00:02Z"), experiment("b", "2026-05-01T10:00:00Z"), experiment("a", "2026-05-01T10:00:00Z")];
    const { times, values, known } = courseOf(accuracy, runs, byExperiment([figure("a", 0.5), figure("c", 0.75)]));
    expect(times.map((time) => time - times[0]!)).toEqual([0, 1, 2]);
    expect(values).toEqual([null, 0.5, 0.75]);
    expect(known).toBe(2);
  });
  it("name each figure once, scores first", () => {
    const list = [{ ...cost, experimentId: "a", count: 1, mean: 1, values: [] }, figure("a", 1), figure("b", 1)];
    expect(figuresOf(list)).toEqual([accuracy, cost]);
  });
});

describe("a scatter", () => {
  const run = (experimentId: string, ...figures: FigureValue[]) => ({ experimentId, traceId: "t", observationId: "o", startTime: "", endTime: null, level: "DEFAULT" as const, totalCost: null, figures });
  const items: ComparedItem[] = [
    { itemId: "1", runs: [run("a", of(accuracy, 0.5), of(latency, 1)), run("b", of(accuracy, 0.25), of(latency, 2))] },
    { itemId: "2", runs: [run("b", of(accuracy, 1))] },
  ];
  const sides = sidesOf(["a", "b"], [experiment("a", ""), experiment("b", "")]);
  it("has a point for each run with both figures", () => {
    const points = pointsOf(items, sides, "latency", "score.numeric.accuracy");
    expect(points).toEqual([{ itemId: "1", side: 0, x: 1, y: 0.5 }, { itemId: "1", side: 1, x: 2, y: 0.25 }]);
    expect(scatterSummary(points, sides, latency, accuracy)).toBe("2 runs of 1 items. A has on average 1.00 s across and 0.5 up; B has on average 2.00 s across and 0.25 up.");
  });
  it("of one figure holds runs against the baseline", () => {
    const points = pointsOf(items, sides, "score.numeric.accuracy", "score.numeric.accuracy");
    expect(points).toEqual([{ itemId: "1", side: 1, x: 0.5, y: 0.25 }]);
    expect(scatterSummary(points, sides, accuracy, accuracy)).toContain("B is above the baseline for 0, below for 1 and equal for 0");
  });
  it("has round marks", () => {
    expect(ticksOf(0, 1)).toEqual([0, 0.5, 1]);
    expect(ticksOf(0.13, 0.97)).toEqual([0.5]);
    expect(ticksOf(3, 3)).toEqual([3]);
  });
});
