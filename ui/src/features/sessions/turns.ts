import type { components } from "@/shared/api/schema.d.ts";

type Root = components["schemas"]["Observation"];

/** One trace of a session. */
export interface Turn {
  traceId: string;
  /** Of its root. */
  id: string;
  name: string;
  level: string;
  statusMessage: string | null;
  start: number;
  /** Null while it has not ended. */
  end: number | null;
  /** How long nothing ran before it, in milliseconds; 0 for the first. */
  idle: number;
}

/** Pauses below this are part of a conversation. */
export const shortestIdle = 60_000;

/** The turns of a session in the order in which they began. A trace with several roots is one turn: its first. */
export function turnsOf(roots: readonly Root[]): Turn[] {
  const byTrace = new Map<string, Root>();
  for (const root of roots) {
    const known = byTrace.get(root.traceId ?? "");
    if (root.traceId !== null && (known === undefined || root.startTime < known.startTime)) byTrace.set(root.traceId, root);
  }
  let busyUntil = Number.POSITIVE_INFINITY;
  return [...byTrace.values()].toSorted((a, b) => Date.parse(a.startTime) - Date.parse(b.startTime)).map((root) => {
    const start = Date.parse(root.startTime);
    const end = root.endTime === null ? null : Date.parse(root.endTime);
    const idle = Math.max(0, start - busyUntil);
    busyUntil = Math.max(busyUntil === Number.POSITIVE_INFINITY ? start : busyUntil, end ?? start);
    return { traceId: root.traceId!, id: root.id, name: root.name || root.traceName || "(no name)", level: root.level ?? "DEFAULT", statusMessage: root.statusMessage ?? null, start, end, idle };
  });
}

/** What may still be written about a turn after its root has ended. */
const late = 3_600_000;

/** A time that holds every observation of the turns. */
export function windowOf(turns: readonly Turn[]): { from: string; to: string } {
  const from = Math.min(...turns.map(({ start }) => start));
  const to = Math.max(...turns.map(({ start, end }) => Math.max(start, end ?? start)));
  return { from: new Date(from).toISOString(), to: new Date(to + late).toISOString() };
}

/** Stretches of a list that begin at fixed places and cover the places from the first to the last. */
export function blocksOf<T>(items: readonly T[], size: number, from: number, to: number): T[][] {
  const blocks: T[][] = [];
  for (let start = Math.floor(from / size) * size; start <= to && start < items.length; start += size) blocks.push(items.slice(start, start + size));
  return blocks;
}
