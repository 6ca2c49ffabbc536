import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import type { WordDiffProps } from "./WordDiff";

/** Comparing takes a square of time where nothing is alike: then all is gone, and all is new. */
const patienceMs = 200;

/** Loaded by WordDiff. */
export default function Words({ before, after }: WordDiffProps) {
  const changes = useMemo(() => diffWordsWithSpace(before, after, { timeout: patienceMs }) ?? [{ value: before, removed: true, added: false }, { value: after, removed: false, added: true }], [before, after]);
  return (
    <span className="break-words whitespace-pre-wrap">
      {changes.map(({ value, added, removed }, at) => {
        if (removed) return <del key={at} className="rounded-sm bg-danger-bg text-danger line-through"><span className="sr-only">gone: </span>{value}</del>;
        if (added) return <ins key={at} className="rounded-sm bg-ok-bg text-ok underline"><span className="sr-only">new: </span>{value}</ins>;
        return <span key={at}>{value}</span>;
      })}
    </span>
  );
}
