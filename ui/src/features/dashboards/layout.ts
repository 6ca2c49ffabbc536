import type { Tile } from "./model";

export const columns = 12;
const lowest = { w: 2, h: 1 };
const highest = 20;

type Box = Pick<Tile, "x" | "y" | "w" | "h">;

const overlap = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** The order in which tiles are read: line by line. */
export function inOrder(tiles: readonly Tile[]): Tile[] {
  return tiles.toSorted((a, b) => a.y - b.y || a.x - b.x);
}

/** Moves every tile up as far as it goes. Of tiles that overlap the first keeps its place, but for `held`, the one that somebody moves. */
export function compact(tiles: readonly Tile[], held?: string): Tile[] {
  const order = inOrder(tiles);
  const moved = order.find(({ id }) => id === held);
  if (moved !== undefined) {
    // It takes the place of the first one that it covers.
    const before = order.findIndex((tile) => tile === moved || overlap(tile, moved));
    order.splice(order.indexOf(moved), 1);
    order.splice(before, 0, moved);
  }
  let placed = settle(order);
  // A tile that was pushed down may leave room for others. Tiles only go up from here on, so this ends.
  for (let next = settle(inOrder(placed)); next.some(({ id, y }) => placed.find((one) => one.id === id)!.y !== y); next = settle(inOrder(placed))) placed = next;
  return tiles.map(({ id }) => placed.find((tile) => tile.id === id)!);
}

/** Places tiles one after the other: down past what is in the way, then up as far as it goes. */
function settle(order: readonly Tile[]): Tile[] {
  const placed: Tile[] = [];
  for (const tile of order) {
    const x = Math.max(0, Math.min(tile.x, columns - tile.w));
    const free = (y: number) => !placed.some((other) => overlap({ ...tile, x, y }, other));
    let y = tile.y;
    while (!free(y)) y++;
    while (y > 0 && free(y - 1)) y--;
    placed.push({ ...tile, x, y });
  }
  return placed;
}

/** A tile moved by columns and rows; others make room. */
export function move(tiles: readonly Tile[], id: string, dx: number, dy: number): Tile[] {
  const moved = tiles.map((tile) => (tile.id === id ? { ...tile, x: Math.max(0, Math.min(columns - tile.w, tile.x + dx)), y: Math.max(0, tile.y + dy) } : tile));
  const held = moved.find((tile) => tile.id === id)!;
  // Downwards the tile changes places with what is below it, or compacting would bring it back.
  const made = dy > 0 ? moved.map((tile) => (tile.id !== id && overlap(tile, held) ? { ...tile, y: Math.max(0, tile.y - held.h) } : tile)) : moved;
  return compact(made, id);
}

/** A tile made wider or higher; others make room. */
export function resize(tiles: readonly Tile[], id: string, dw: number, dh: number): Tile[] {
  const sized = tiles.map((tile) => {
    if (tile.id !== id) return tile;
    return { ...tile, w: Math.max(lowest.w, Math.min(columns - tile.x, tile.w + dw)), h: Math.max(lowest.h, Math.min(highest, tile.h + dh)) };
  });
  return compact(sized, id);
}

/** A new tile below all others, or in the first free place of the last line. */
export function add(tiles: readonly Tile[], tile: Omit<Tile, "x" | "y">): Tile[] {
  const bottom = Math.max(0, ...tiles.map(({ y, h }) => y + h));
  const last = tiles.filter(({ y, h }) => y + h === bottom);
  const after = Math.max(0, ...last.map(({ x, w }) => x + w));
  const place = after + tile.w <= columns && last.length > 0 ? { x: after, y: Math.min(...last.map(({ y }) => y)) } : { x: 0, y: bottom };
  return compact([...tiles, { ...tile, ...place }]);
}

export function remove(tiles: readonly Tile[], id: string): Tile[] {
  return compact(tiles.filter((tile) => tile.id !== id));
}
