import { expect, it } from "vitest";
import { neighbour } from "./neighbour";

const nodes = [{ x: 100, y: 0 }, { x: 0, y: 100 }, { x: 200, y: 100 }, { x: 0, y: 200 }];

it.each<[string, number, string, number | undefined]>([
  ["down to the nearest", 1, "ArrowDown", 3],
  ["up", 3, "ArrowUp", 1],
  ["to the side", 1, "ArrowRight", 2],
  ["and back", 2, "ArrowLeft", 1],
  ["nowhere beyond the edge", 0, "ArrowUp", undefined],
  ["to the first", 3, "Home", 0],
  ["to the last", 0, "End", 3],
  ["not by other keys", 0, "x", undefined],
  ["not from nowhere", 9, "ArrowUp", undefined],
])("walks %s", (_, from, key, want) => expect(neighbour(nodes, from, key)).toBe(want));
