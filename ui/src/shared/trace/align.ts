import type { TraceRows } from "./rows";

/** Two traces as one list in pre-order. A place holds a row of each that stand for each other, or a row of one alone (-1 for the other). */
export interface Alignment {
  a: Int32Array;
  b: Int32Array;
  /** 1 for a row without a parent. */
  depth: Int32Array;
}

export type Change = "same" | "changed" | "added" | "removed";

/** Above this many comparisons a level is aligned by a rougher way that takes no square of time. */
const mostComparisons = 1_000_000;

/** Counts what an alignment took. */
export interface Work {
  comparisons: number;
}

type Key = (row: number) => string;

/** Aligns two trees level by level: of the children of two rows that stand for each other, the longest common sequence by type and
 * name does, too; what is left between them is paired by type, as a row that got another name. */
export function align(a: TraceRows, b: TraceRows, work: Work = { comparisons: 0 }): Alignment {
  const out = { a: [] as number[], b: [] as number[], depth: [] as number[] };
  const named = (rows: TraceRows): Key => (row) => `${rows.typeOf(row)} ${rows.nameOf(row)}`;
  const [childrenA, childrenB] = [childrenOf(a), childrenOf(b)];
  const [nameA, nameB] = [named(a), named(b)];
  // What is still to come, the next one last: a tree may be deeper than calls can be.
  const waiting: [number, number, number][] = [];
  const push = (level: [number, number][], depth: number) => {
    for (let at = level.length - 1; at >= 0; at--) waiting.push([level[at]![0], level[at]![1], depth]);
  };
  const pairUp = (left: readonly number[], right: readonly number[]) => pairs(left, right, nameA, nameB, (row) => a.typeOf(row), (row) => b.typeOf(row), work);
  push(pairUp(childrenA(-1), childrenB(-1)), 1);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [left, right, depth] = next;
    out.a.push(left);
    out.b.push(right);
    out.depth.push(depth);
    push(pairUp(left < 0 ? [] : childrenA(left), right < 0 ? [] : childrenB(right)), depth + 1);
  }
  return { a: Int32Array.from(out.a), b: Int32Array.from(out.b), depth: Int32Array.from(out.depth) };
}

/** Finds the children of a row; -1 asks for the roots. */
function childrenOf(rows: TraceRows): (row: number) => number[] {
  return (row) => {
    const found: number[] = [];
    const end = row < 0 ? rows.length - 1 : rows.last(row);
    for (let child = row + 1; child <= end; child = rows.last(child) + 1) found.push(child);
    return found;
  };
}

/** Pairs two lists of siblings in their order; -1 stands where one has nothing to pair with. */
function pairs(left: readonly number[], right: readonly number[], nameA: Key, nameB: Key, typeA: Key, typeB: Key, work: Work): [number, number][] {
  const found: [number, number][] = [];
  const between = (fromA: number, toA: number, fromB: number, toB: number) => {
    const [gapA, gapB] = [left.slice(fromA, toA), right.slice(fromB, toB)];
    walk(common(gapA.map(typeA), gapB.map(typeB), work), gapA.length, gapB.length, (i, j) => found.push([i < 0 ? -1 : gapA[i]!, j < 0 ? -1 : gapB[j]!]));
  };
  let [i, j] = [0, 0];
  for (const [atA, atB] of common(left.map(nameA), right.map(nameB), work)) {
    between(i, atA, j, atB);
    found.push([left[atA]!, right[atB]!]);
    [i, j] = [atA + 1, atB + 1];
  }
  between(i, left.length, j, right.length);
  return found;
}

/** Tells of all places of two lists in order: those that are matched together, and those before them alone. */
function walk(matches: [number, number][], lengthA: number, lengthB: number, tell: (i: number, j: number) => void): void {
  let [i, j] = [0, 0];
  for (const [atA, atB] of [...matches, [lengthA, lengthB] as [number, number]]) {
    for (; i < atA; i++) tell(i, -1);
    for (; j < atB; j++) tell(-1, j);
    if (atA < lengthA) tell(i++, j++);
  }
}

/** The places of a longest common sequence of two lists; of a long one where lists are too long for the longest. */
export function common(a: readonly string[], b: readonly string[], work: Work = { comparisons: 0 }, most = mostComparisons): [number, number][] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  work.comparisons += start + end + 2;
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const inner = restA.length * restB.length <= most ? longest(restA, restB, work) : increasing(restA, restB, work);
  return [
    ...Array.from({ length: start }, (_, at): [number, number] => [at, at]),
    ...inner.map(([i, j]): [number, number] => [start + i, start + j]),
    ...Array.from({ length: end }, (_, at): [number, number] => [a.length - end + at, b.length - end + at]),
  ];
}

function longest(a: readonly string[], b: readonly string[], work: Work): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width); // of the common sequence of what is left from i and j on
  for (let i = a.length - 1; i >= 0; i--) {
    work.comparisons += b.length;
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      lengths[at] = a[i] === b[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!);
    }
  }
  const found: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) found.push([i++, j++]);
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return found;
}

/** Pairs the first of a name with the first, the second with the second, and keeps the most of these pairs that do not cross. */
function increasing(a: readonly string[], b: readonly string[], work: Work): [number, number][] {
  const places = new Map<string, number[]>();
  b.forEach((key, at) => (places.get(key) ?? places.set(key, []).get(key)!).push(at));
  const used = new Map<string, number>();
  const all: [number, number][] = [];
  a.forEach((key, i) => {
    const nth = used.get(key) ?? 0;
    const j = places.get(key)?.[nth];
    if (j === undefined) return;
    used.set(key, nth + 1);
    all.push([i, j]);
  });
  const tails: number[] = []; // the pair that ends the best sequence of each length
  const before = new Int32Array(all.length).fill(-1);
  all.forEach(([, j], at) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      work.comparisons++;
      const middle = (low + high) >> 1;
      if (all[tails[middle]!]![1] < j) low = middle + 1;
      else high = middle;
    }
    before[at] = low === 0 ? -1 : tails[low - 1]!;
    tails[low] = at;
  });
  const found: [number, number][] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]!) found.push(all[at]!);
  return found.toReversed();
}

/** What became of a place from the first trace to the second, as far as rows tell without their texts. Time always differs. */
export function changeOf(a: TraceRows, b: TraceRows, left: number, right: number): Change {
  if (left < 0) return "added";
  if (right < 0) return "removed";
  const same =
    a.nameOf(left) === b.nameOf(right) && a.modelOf(left) === b.modelOf(right) && a.head.levels[a.level[left]!] === b.head.levels[b.level[right]!] &&
    a.total[left] === b.total[right] && a.costs.at(left) === b.costs.at(right);
  return same ? "same" : "changed";
}
