import { describe, expect, it } from "vitest";
import { losses } from "./retention";

const keep = (days: number | null, payloadDays: number | null = null) => ({ days, payloadDays });

describe("losses", () => {
  it("names what a shorter time erases", () => {
    expect(losses(keep(90), keep(30))).toBe("traces and scores that are older than 30 days");
    expect(losses(keep(null), keep(30))).toContain("older than 30 days");
    expect(losses(keep(90, 30), keep(90, 14))).toBe("inputs and outputs that are older than 14 days");
    expect(losses(keep(90), keep(60, 14))).toBe("traces and scores that are older than 60 days, and inputs and outputs that are older than 14 days");
  });

  it("is nothing when data is kept as long or longer", () => {
    expect(losses(keep(30), keep(30))).toBeUndefined();
    expect(losses(keep(30), keep(90))).toBeUndefined();
    expect(losses(keep(30, 14), keep(null, null))).toBeUndefined();
    expect(losses(keep(30), keep(90, 60))).toBeUndefined(); // they went after 30 days
  });

  it("does not name inputs that go with their rows", () => {
    expect(losses(keep(90), keep(10, 20))).toBe("traces and scores that are older than 10 days");
  });
});
