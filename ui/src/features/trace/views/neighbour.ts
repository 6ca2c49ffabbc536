import type { Point } from "@/shared/trace/layOut";

const directions: Record<string, Point> = { ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 }, ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 } };

/** The nearest node in the direction of an arrow key, straight ahead first; Home and End are the first and the last. Undefined when there is
 * none, or the key is another. */
export function neighbour(nodes: readonly Point[], from: number, key: string): number | undefined {
  const here = nodes[from];
  if (here === undefined) return undefined;
  if (key === "Home") return 0;
  if (key === "End") return nodes.length - 1;
  const direction = directions[key];
  if (direction === undefined) return undefined;
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  nodes.forEach((node, place) => {
    const [dx, dy] = [node.x - here.x, node.y - here.y];
    const ahead = dx * direction.x + dy * direction.y;
    const aside = Math.abs(dx * direction.y) + Math.abs(dy * direction.x);
    if (ahead > 1 && ahead + 2 * aside < least) [best, least] = [place, ahead + 2 * aside];
  });
  return best;
}
