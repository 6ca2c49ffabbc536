import { useCallback, useMemo, useState } from "react";
import { carryFolds, type Folds, type Marks, nextRow, noFolds, positionOf, reveal, setFold, setFoldsBelow, visibleRows } from "../folds";
import type { LoadedTrace } from "../loadTrace";
import type { TraceRows } from "../rows";

/** What the tree shows, and what can be done with it. */
export interface Tree {
  rows: TraceRows;
  /** Row numbers in the order on screen. */
  shown: Int32Array;
  folds: Folds;
  marks: Marks | undefined;
  /** The chosen row, or -1. */
  selected: number;
  select: (row: number) => void;
  fold: (row: number, folded: boolean) => void;
  /** Opens everything below a row; when all is open, folds it. */
  toggleBelow: (row: number) => void;
  /** Chooses the row some steps away among those on screen. */
  move: (steps: number) => void;
  /** Chooses a row and opens what is above it. */
  goTo: (row: number) => void;
  /** Chooses the next row that passes, opens what is above it; false when there is none. */
  moveTo: (step: 1 | -1, passes: (row: number) => boolean) => boolean;
  /** Opens the row, or goes to its first child. */
  enter: () => void;
  /** Folds the row, or goes to its parent. */
  leave: () => void;
}

interface TreeOptions {
  loaded: LoadedTrace;
  marks: Marks | undefined;
  /** Rows that the find left out are hidden, not only pale. */
  filtering: boolean;
  selectedId: string;
  onSelect: (id: string) => void;
}

export function useTree({ loaded, marks, filtering, selectedId, onSelect }: TreeOptions): Tree {
  const { rows, length } = loaded;
  const [folds, setFolds] = useFolds(rows);
  const kept = filtering ? marks : undefined;
  // A trace that arrives is the same rows with more in them: the length tells.
  const shown = useMemo(() => visibleRows(rows, folds, kept, length), [rows, folds, kept, length]);
  const selected = useMemo(() => rows.find(selectedId, length), [rows, selectedId, length]);
  const select = useCallback((row: number) => onSelect(rows.ids.at(row)), [rows, onSelect]);
  const fold = useCallback((row: number, folded: boolean) => setFolds((before) => setFold(before, row, folded)), [setFolds]);

  return useMemo(() => {
    const position = selected < 0 ? -1 : positionOf(shown, selected);
    const go = (to: number) => {
      const row = shown[Math.min(Math.max(to, 0), shown.length - 1)];
      if (row !== undefined) select(row);
    };
    const goTo = (row: number) => {
      setFolds((before) => reveal(rows, before, row));
      select(row);
    };
    return {
      rows, shown, folds, marks, selected, select, fold, goTo,
      toggleBelow: (row) => setFolds((before) => setFoldsBelow(rows, before, row, !hasFolds(rows, before, row))),
      move: (steps) => go(position < 0 ? steps - 1 : position + steps),
      moveTo: (step, passes) => {
        const row = nextRow(rows, selected < 0 && step < 0 ? 0 : selected, step, passes, kept);
        if (row >= 0) goTo(row);
        return row >= 0;
      },
      enter: () => {
        if (selected < 0 || rows.children[selected] === 0) return;
        if (folds[selected] === 1) fold(selected, false);
        else go(position + 1);
      },
      leave: () => {
        if (selected < 0) return;
        if (rows.children[selected]! > 0 && folds[selected] === 0) fold(selected, true);
        else if (rows.parent[selected]! >= 0) select(rows.parent[selected]!);
      },
    };
  }, [rows, shown, folds, marks, kept, selected, select, fold, setFolds]);
}

function hasFolds(rows: TraceRows, folds: Folds, row: number): boolean {
  return folds.subarray(row, rows.last(row) + 1).includes(1);
}

/** Folds stay with their rows when the trace is read anew. */
function useFolds(rows: TraceRows): [Folds, (step: (before: Folds) => Folds) => void] {
  const [state, setState] = useState(() => ({ rows, folds: noFolds(rows) }));
  let current = state;
  if (state.rows !== rows) {
    current = { rows, folds: carryFolds(state.rows, state.folds, rows) };
    setState(current);
  }
  const change = useCallback((step: (before: Folds) => Folds) => setState((before) => ({ ...before, folds: step(before.folds) })), []);
  return [current.folds, change];
}
