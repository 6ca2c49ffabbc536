import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import type { WordDiffProps } from "./WordDiff";

/** Longer texts are not compared word by word: that would be felt. */
const longest = 40_000;

export default function WordChanges({ label, before, after }: WordDiffProps) {
  const parts = useMemo(() => (before.length + after.length > longest ? null : diffWordsWithSpace(before, after)), [before, after]);
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
