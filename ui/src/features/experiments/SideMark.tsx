import type { Side } from "./model";

/** The letter of a run on its color: the same wherever the page speaks of it. */
export function SideMark({ side }: { side: Side }) {
  return (
    <span className="inline-flex size-5 shrink-0 items-center justify-center rounded-sm border-2 text-2xs font-semibold text-text forced-color-adjust-none" style={{ borderColor: `var(--${side.color})` }}>
      {side.letter}
    </span>
  );
}
