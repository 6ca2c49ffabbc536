/** Which rows are ticked: some by their keys, or all that match, also those that are not loaded. */
export interface Selection {
  keys: ReadonlySet<string>;
  all: boolean;
  /** Where a range begins that Shift extends. */
  anchor: string | null;
}

export const nothing: Selection = { keys: new Set(), all: false, anchor: null };

export function isSelected(selection: Selection, key: string): boolean {
  return selection.all || selection.keys.has(key);
}

export function isEmpty(selection: Selection): boolean {
  return !selection.all && selection.keys.size === 0;
}

/** Ticks a row, or takes the tick away. Of "all that match" the loaded others stay. */
export function toggle(selection: Selection, key: string, loaded: readonly string[]): Selection {
  const keys = new Set(selection.all ? loaded : selection.keys);
  if (!keys.delete(key)) keys.add(key);
  return { keys, all: false, anchor: key };
}

/** Ticks every loaded row between the anchor and this one. */
export function extend(selection: Selection, key: string, loaded: readonly string[]): Selection {
  const from = selection.anchor === null ? -1 : loaded.indexOf(selection.anchor);
  const to = loaded.indexOf(key);
  if (from < 0 || to < 0 || selection.all) return toggle(selection, key, loaded);
  const between = loaded.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { keys: new Set([...selection.keys, ...between]), all: false, anchor: selection.anchor };
}

/** Ticks all loaded rows, or none when they all are. */
export function toggleLoaded(selection: Selection, loaded: readonly string[]): Selection {
  const every = loaded.length > 0 && loaded.every((key) => isSelected(selection, key));
  return every ? nothing : { keys: new Set(loaded), all: false, anchor: null };
}

export function selectAll(): Selection {
  return { keys: new Set(), all: true, anchor: null };
}
