import { useCallback, useMemo } from "react";
import { useStoredText } from "@/shared/lib/preferences";
import { one } from "@/shared/lib/search";
import { parseColumns, printColumns, type Shown } from "@/shared/table/columns";
import { fieldsOf, initialColumns, knownColumns, shownScores } from "./columns";
import type { ListState } from "./listState";

/** Which columns are shown is in the address; how wide they are, this browser remembers. */
export function useColumns({ table, search, update }: ListState) {
  const text = one(search, "cols");
  const shown = useMemo(() => parseColumns(text, initialColumns(table)), [text, table]);
  const known = useMemo(() => knownColumns(shown), [shown]);
  const [stored, store] = useStoredText(`widths.${table}`, "{}");
  const widths = useMemo(() => readWidths(stored), [stored]);
  return {
    shown, known, widths,
    scores: useMemo(() => shownScores(shown), [shown]),
    fields: useMemo(() => fieldsOf(shown, known), [shown, known]),
    setShown: useCallback((next: Shown[]) => update({ cols: printColumns(next, initialColumns(table)) || undefined }), [update, table]),
    setWidth: useCallback((id: string, width: number) => store(JSON.stringify({ ...widths, [id]: width })), [store, widths]),
    reset: useCallback(() => (update({ cols: undefined }), store("{}")), [update, store]),
  };
}

function readWidths(text: string): Record<string, number> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? Object.fromEntries(Object.entries(read).filter(([, width]) => typeof width === "number")) : {};
  } catch {
    return {};
  }
}
