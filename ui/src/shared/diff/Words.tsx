import { useMemo } from "react";
import { partsOf } from "./parts";
import type { WordDiffProps } from "./WordDiff";

/** Loaded by WordDiff. */
export default function Words({ before, after }: WordDiffProps) {
  const parts = useMemo(() => partsOf(before, after), [before, after]);
  return (
    <span className="break-words whitespace-pre-wrap">
      {parts.map(({ value, added, removed }, at) => {
        // oxlint-disable react/no-array-index-key -- parts have no other name, and all change together
        if (removed) return <del key={at} className="rounded-sm bg-danger-bg text-danger line-through"><span className="sr-only">gone: </span>{value}</del>;
        if (added) return <ins key={at} className="rounded-sm bg-ok-bg text-ok underline decoration-1 underline-offset-2"><span className="sr-only">new: </span>{value}</ins>;
        return <span key={at}>{value}</span>;
      })}
    </span>
  );
}
