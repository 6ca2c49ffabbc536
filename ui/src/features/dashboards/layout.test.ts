import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, columns, compact, move, remove, resize } from "./layout";
import type { Tile } from "./model";

const tile = (id: string, x: number, y: number, w: number, h: number): Tile => ({ id, title: id, kind: "text", x, y, w, h });
const places = (tiles: readonly Tile[]) => Object.fromEntries(tiles.map(({ id, x, y, w, h }) => [id, [x, y, w, h]]));

const drawn = fc.array(fc.record({ x: fc.integer({ min: 0, max: 11 }), y: fc.integer({ min: 0, max: 20 }), w: fc.integer({ min: 1, max: 12 }), h: fc.integer({ min: 1, max: 6 }) }), { maxLength: 12 })
  .map((boxes) => boxes.map((box, index) => ({ ...tile(`t${index}`, 0, 0, 1, 1), ...box, x: Math.min(box.x, columns - box.w) })));

function sound(tiles: readonly Tile[]): boolean {
  const apart = tiles.every((a, i) => tiles.every((b, j) => i >= j || a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h));
  return apart && tiles.every(({ x, w, y }) => x >= 0 && x + w <= columns && y >= 0);
}

describe("layout", () => {
  it("never lets tiles overlap or leave the grid, whatever is done", () => {
    fc.assert(fc.property(drawn, fc.array(fc.tuple(fc.nat(11), fc.boolean(), fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 })), { maxLength: 8 }), (start, steps) => {
      let tiles = compact(start);
      if (!sound(tiles)) return false;
      for (const [at, moves, dx, dy] of steps) {
        const one = tiles[at];
        if (one === undefined) continue;
        tiles = (moves ? move : resize)(tiles, one.id, dx, dy);
        if (!sound(tiles) || tiles.length !== start.length) return false;
      }
      return true;
    }), { numRuns: 60 });
  });
  it("is the same when it is compacted again", () => fc.assert(fc.property(drawn, (tiles) => { expect(places(compact(compact(tiles)))).toEqual(places(compact(tiles))); }), { numRuns: 100 }));
  it("moves a tile up over another, and down again", () => {
    const start = [tile("a", 0, 0, 6, 2), tile("b", 0, 2, 6, 2)];
    const up = move(start, "b", 0, -2);
    expect(places(up)).toEqual({ b: [0, 0, 6, 2], a: [0, 2, 6, 2] });
    expect(places(move(up, "b", 0, 2))).toEqual(places(start));
  });
  it("puts a new tile beside the last line, or below", () => {
    const start = [tile("a", 0, 0, 6, 2)];
    const two = add(start, tile("b", 0, 0, 6, 2));
    expect(places(two).b).toEqual([6, 0, 6, 2]);
    expect(places(add(two, tile("c", 0, 0, 3, 1))).c).toEqual([0, 2, 3, 1]);
  });
  it("closes the gap of a tile that is removed", () => expect(places(remove([tile("a", 0, 0, 12, 2), tile("b", 0, 2, 12, 2)], "a"))).toEqual({ b: [0, 0, 12, 2] }));
});
