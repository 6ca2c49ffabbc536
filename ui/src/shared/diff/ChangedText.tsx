import { WordDiff, type WordDiffProps } from "./WordDiff";

/** A text with what changed in it, set apart from what is around it. */
export function ChangedText({ label, before, after }: WordDiffProps & { label: string }) {
  return (
    <section aria-label={label} className="rounded-md border border-line bg-surface px-3 py-2 text-sm">
      <WordDiff before={before} after={after} />
    </section>
  );
}
