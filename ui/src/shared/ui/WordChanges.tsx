import { type Change, diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import type { WordDiffProps } from "./WordDiff";

/** Longer texts are not compared word by word: that would be felt. */
const longest = 40_000;

/** Words that only the spaces between them have in common are one change: in turns, gone and new, nobody could read them. */
function together(parts: readonly Change[]): Pick<Change, "value" | "added" | "removed">[] {
  const joined: ReturnType<typeof together> = [];
  let [gone, came] = ["", ""];
  const flush = () => {
    if (gone !== "") joined.push({ value: gone, added: false, removed: true });
    if (came !== "") joined.push({ value: came, added: true, removed: false });
    [gone, came] = ["", ""];
  };
  for (const [index, { value, added, removed }] of parts.entries()) {
    const between = value.trim() === "" && gone + came !== "" && index < parts.length - 1;
    if (removed || (between && !added)) gone += value;
    if (added || (between && !removed)) came += value;
    if (added || removed || between) continue;
    flush();
    joined.push({ value, added: false, removed: false });
  }
  flush();
  return joined;
}

export default function WordChanges({ label, before, after }: WordDiffProps) {
  const parts = useMemo(() => (before.length + after.length > longest ? null : together(diffWordsWithSpace(before, after))), [before, after]);
  if (parts === null) return <p className="text-xs text-text-2">The texts are too long to compare word by word.</p>;
  const changed = parts.filter(({ added, removed }) => added || removed).length;
  return (
    <section aria-label={label}>
      <p className="sr-only">{changed === 0 ? "Nothing changed" : `${changed} changes`}</p>
      <p className="rounded-md border border-line bg-surface px-3 py-2 text-sm break-words whitespace-pre-wrap">
        {parts.map(({ value, added, removed }, index) => {
          const key = `${index}`;
          if (added) return <ins key={key} className="bg-ok-bg text-ok no-underline">{value}</ins>;
          return removed ? <del key={key} className="bg-danger-bg text-danger">{value}</del> : <span key={key}>{value}</span>;
        })}
      </p>
    </section>
  );
}
