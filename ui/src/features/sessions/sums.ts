import { printCondition } from "@/shared/filter/print";
import { addMoney } from "@/shared/lib/money";
import type { TurnFigures } from "./api";
import { type Turn, windowOf } from "./turns";

/** What the turns that were read add up to. Figures that have not arrived are null. */
export interface SessionSums {
  turns: number;
  /** There are earlier turns that were not read. */
  more: boolean;
  /** From the first beginning to the last end, in milliseconds. */
  duration: number;
  tokens: number | null;
  cost: string | null;
  errors: number;
  /** The list of traces that shows the same turns. */
  query: string;
  range: string;
}

export function sumsOf(sessionId: string, turns: readonly Turn[], more: boolean, figuresOf: (traceId: string) => TurnFigures | undefined): SessionSums {
  const figures = turns.flatMap(({ traceId }) => figuresOf(traceId) ?? []);
  const known = figures.length > 0;
  const { from, to } = windowOf(turns);
  const ends = turns.map(({ start, end }) => end ?? start);
  return {
    turns: turns.length,
    more,
    duration: Math.max(...ends) - turns[0]!.start,
    tokens: known ? figures.reduce((sum, { tokens }) => sum + tokens, 0) : null,
    cost: known ? addMoney(figures.map(({ cost }) => cost)) : null,
    errors: figures.reduce((sum, { errors }) => sum + errors, 0),
    query: printCondition({ type: "string", column: "sessionId", operator: "=", value: sessionId }),
    range: `${from}..${to}`,
  };
}
