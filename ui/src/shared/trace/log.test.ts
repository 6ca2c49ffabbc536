import { expect, it } from "vitest";
import { parseFind } from "./find";
import { logOf } from "./log";
import { match } from "./match";
import { flagSyntheticRoot } from "./rows";
import { testTrace } from "./testing";

const rows = testTrace([
  { parent: -1, start: 0 },
  { parent: 0, start: 50, level: "ERROR" },
  { parent: 1, start: 60 },
  { parent: 0, start: 20, level: "ERROR" },
  { parent: -1, start: 0, flags: flagSyntheticRoot },
  { parent: 4, start: 20 },
]);

it("orders rows by time, those of one moment as in the tree", () => expect([...logOf(rows, rows.length)]).toEqual([0, 3, 5, 1, 2]));
it("has what is here only", () => expect([...logOf(rows, 3)]).toEqual([0, 1, 2]));
it("leaves out what is no hit, and what stands above one", () => expect([...logOf(rows, rows.length, match(rows, parseFind("level:ERROR")).marks)]).toEqual([3, 1]));
