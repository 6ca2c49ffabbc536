import { lazy, Suspense } from "react";

const Changes = lazy(() => import("./WordChanges"));

export interface WordDiffProps {
  label: string;
  before: string;
  after: string;
}

/** Two texts as one: words that are gone are struck out, words that are new are marked. */
export function WordDiff(props: WordDiffProps) {
  return (
    <Suspense fallback={<p className="text-xs text-text-3">{props.after}</p>}>
      <Changes {...props} />
    </Suspense>
  );
}
