// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { renderProjectPage } from "@/shared/test/projectPage";
import { cleanup } from "@/shared/test/render";
import { testTrace } from "@/shared/trace/testing";
import { DiffPage } from "./DiffPage";
import { costOf, durationOf, moneyBetween, onlyChanges, placesOf, tokensOf } from "./places";

afterEach(cleanup);

describe("places of a comparison", () => {
  const a = testTrace([{ parent: -1, name: "root", duration: 100, cost: "0.1" }, { parent: 0, name: "same", duration: 5 }, { parent: 0, name: "gone", duration: 7 }]);
  const b = testTrace([{ parent: -1, name: "root", duration: 150, cost: "0.3" }, { parent: 0, name: "same", duration: 9 }, { parent: 0, name: "came", type: "TOOL", duration: -1 }]);
  const places = placesOf({ a, b });

  it("says what became of each row, with exact differences", () => {
    expect(places.map(({ change }) => change)).toEqual(["changed", "same", "removed", "added"]);
    expect(durationOf({ a, b }, places[0]!)).toEqual({ before: 100, after: 150, delta: 50 });
    expect(costOf({ a, b }, places[0]!).delta).toBe("0.2");
    expect(moneyBetween("0.3", "0.1").delta).toBe("-0.2");
  });

  it("takes what is not known for a gap, not for zero", () => {
    expect(durationOf({ a, b }, places[3]!)).toEqual({ before: null, after: null, delta: null });
    expect(tokensOf({ a, b }, places[0]!).delta).toBeNull();
    expect(costOf({ a, b }, places[1]!).delta).toBeNull();
  });

  it("keeps the rows above what differs", () => {
    expect(onlyChanges(places).map(({ change }) => change)).toEqual(["changed", "removed", "added"]);
  });

  it("names rows of the second trace apart, so that an address finds one row", () => {
    expect(new Set(places.map(({ key }) => key)).size).toBe(places.length);
    expect(places[3]!.key.startsWith("b:")).toBe(true);
  });
});

describe("DiffPage", () => {
  it("says how to choose where the address names no traces", async () => {
    await renderProjectPage("traces/diff", DiffPage, "/project/p/traces/diff?a=t1", {});
    expect(document.body.textContent).toContain("Choose two traces");
  });

  it("says which trace is not there", async () => {
    await renderProjectPage("traces/diff", DiffPage, "/project/p/traces/diff?a=t1&b=t2", {});
    expect(document.body.textContent).toContain("REQ1");
  });
});
