import { useState } from "react";
import { isEmpty, nothing, type Selection } from "@/shared/table/selection";
import type { ListQuery, Observation } from "./api";
import type { Chosen } from "./bulk";

export const rowKey = (row: Observation) => `${row.traceId ?? ""}/${row.id}`;

/** The ticked rows of a list. Rows that scrolled out of memory stay ticked; another query starts anew. */
export function useChosen(asked: ListQuery | null, loaded: readonly Observation[]) {
  const [state, setState] = useState<{ of: ListQuery | null; selection: Selection; rows: ReadonlyMap<string, Observation> }>({ of: asked, selection: nothing, rows: new Map() });
  const { selection, rows } = state.of === asked ? state : { selection: nothing, rows: new Map<string, Observation>() };
  const setSelection = (next: Selection) => {
    const kept = new Map<string, Observation>();
    for (const [key, row] of rows) if (next.keys.has(key)) kept.set(key, row);
    for (const row of loaded) if (next.keys.has(rowKey(row))) kept.set(rowKey(row), row);
    setState({ of: asked, selection: next, rows: kept });
  };
  const chosen: Chosen | null = isEmpty(selection) || asked === null ? null : selection.all ? { query: asked } : { rows: [...rows.values()] };
  return { selection, setSelection, chosen };
}
