import { ChevronDown, ChevronRight } from "lucide-react";
import { useId } from "react";
import { cx } from "@/shared/lib/classes";
import { formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import type { TraceRows } from "@/shared/trace/rows";
import type { TraceSource } from "@/shared/trace/source";
import type { TranscriptItem } from "@/shared/trace/transcript";
import { durationText } from "@/shared/trace/view/LaneBar";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { TypeIcon } from "@/shared/ui/TypeIcon";
import { SaidTexts, StepTexts } from "./TranscriptTexts";

interface TranscriptEntryProps {
  source: TraceSource;
  rows: TraceRows;
  item: TranscriptItem;
  place: number;
  count: number;
  selected: boolean;
  wide: boolean;
  /** Nobody scrolls: texts may be read. */
  resting: boolean;
  open: boolean;
  onToggle: () => void;
  onSelect: () => void;
}

const deepest = 6;

/** One entry, below its agents. Its name leads to its observation. */
export function TranscriptEntry(props: TranscriptEntryProps) {
  const { source, rows, item, place, count, selected, wide, resting, open } = props;
  const { row, kind, depth, opening } = item;
  const id = useId();
  const observationId = rows.ids.at(row);
  const texts = { source, observationId, resting };
  return (
    <div role="presentation" className="flex">
      {Array.from({ length: Math.min(depth, deepest) }, (_, level) => <span key={level} aria-hidden className={cx("-my-1 shrink-0 border-l-2 border-line", wide ? "w-4" : "w-2")} />)}
      <article
        aria-labelledby={id} aria-posinset={place} aria-setsize={count} aria-current={selected || undefined} tabIndex={-1}
        className={cx("min-w-0 flex-1 rounded-lg border", selected ? "border-accent" : kind === "agent" ? "border-transparent bg-surface" : "border-line")}
      >
        <EntryHeader {...props} id={id} />
        {kind === "said" && <SaidTexts {...texts} opening={opening} failed={rows.isError(row)} />}
        {kind === "turn" && <SaidTexts {...texts} opening failed={rows.isError(row)} />}
        {kind === "step" && open && <StepTexts {...texts} />}
      </article>
    </div>
  );
}

function EntryHeader({ rows, item, open, onToggle, onSelect, id, wide }: TranscriptEntryProps & { id: string }) {
  const { row, kind } = item;
  const Caret = open ? ChevronDown : ChevronRight;
  const name = rows.nameOf(row);
  const cost = rows.costs.at(row);
  const tokens = rows.total[row]!;
  return (
    <header className="flex min-h-8 min-w-0 items-center gap-1.5 px-2 text-xs">
      {(kind === "agent" || kind === "step") && (
        <button type="button" aria-expanded={open} aria-label={`${open ? "Fold" : "Open"} ${name}`} onClick={onToggle} className="grid size-6 shrink-0 place-items-center rounded-sm text-text-2 hover:text-text pointer-coarse:size-11">
          <Caret size={14} aria-hidden />
        </button>
      )}
      <TypeIcon type={rows.typeOf(row)} />
      <button id={id} type="button" onClick={onSelect} title="Show its details" className={cx("min-h-6 min-w-0 truncate text-left hover:text-accent hover:underline pointer-coarse:min-h-11", kind === "agent" ? "font-semibold" : "font-medium")}>
        {name}
      </button>
      <LevelIcon level={rows.head.levels[rows.level[row]!] ?? ""} />
      {wide && <span className="truncate text-text-3">{rows.modelOf(row)}</span>}
      <span className="flex-1" />
      <span className="flex shrink-0 gap-3 text-2xs text-text-3">
        {wide && tokens > 0 && <span>{formatTokens(tokens)} tokens</span>}
        {cost !== "" && <span>{formatMoney(cost)}</span>}
        <span>{durationText(rows, row, false)}</span>
      </span>
    </header>
  );
}
