import { lazy, Suspense } from "react";

const Words = lazy(() => import("./Words"));

export interface WordDiffProps {
  before: string;
  after: string;
}

/** What changed in a text, word by word, in one line of reading: what is gone is struck through, what is new is underlined. */
export function WordDiff({ before, after }: WordDiffProps) {
  return (
    <Suspense fallback={<span className="break-words whitespace-pre-wrap">{after}</span>}>
      <Words before={before} after={after} />
    </Suspense>
  );
}
