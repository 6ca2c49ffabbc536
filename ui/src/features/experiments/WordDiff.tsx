import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";

/** Longer texts are shown as they are: comparing takes time with the square of their length. */
const longest = 20_000;

/** Texts that have less in common are another text: word by word they would be a riddle. */
const related = 0.3;

interface Part {
  value: string;
  added?: boolean;
  removed?: boolean;
}

export function partsOf(before: string, after: string): Part[] {
  if (before.length + after.length > longest) return [{ value: after }];
  const parts: Part[] = diffWordsWithSpace(before, after);
  const kept = parts.reduce((sum, { value, added, removed }) => sum + (added || removed ? 0 : value.trim().length), 0);
  return kept < related * Math.min(before.length, after.length) ? [{ value: before, removed: true }, { value: "\n" }, { value: after, added: true }] : parts;
}

/** What changed from one text to another, word by word. Words that are gone and words that came are marked, not only coloured. */
export default function WordDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => partsOf(before, after), [before, after]);
  return (
    <>
      {parts.map(({ value, added, removed }, index) => {
        // oxlint-disable-next-line react/no-array-index-key -- parts have no other name, and all change together
        if (added) return <ins key={index} className="bg-ok-bg text-ok underline decoration-1 underline-offset-2">{value}</ins>;
        // oxlint-disable-next-line react/no-array-index-key
        if (removed) return <del key={index} className="bg-danger-bg text-danger">{value}</del>;
        // oxlint-disable-next-line react/no-array-index-key
        return <span key={index}>{value}</span>;
      })}
    </>
  );
}
