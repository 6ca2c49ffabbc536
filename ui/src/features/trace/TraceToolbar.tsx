import { ArrowDown, ArrowUp, Highlighter, Search, X } from "lucide-react";
import type { RefObject } from "react";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import { withLevel } from "@/shared/trace/find";
import { IconButton } from "@/shared/ui/IconButton";
import { Kbd } from "@/shared/ui/Kbd";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { Select } from "@/shared/ui/Select";
import type { FindResult } from "./useFind";

/** The views over one trace and one selection. */
export const views = [
  { value: "timeline", label: "Timeline" },
  { value: "tree", label: "Tree" },
] as const;
export type View = (typeof views)[number]["value"];

const levels = [
  { value: "", label: "All levels" },
  { value: "level:(ERROR OR WARNING)", label: "Warnings, errors" },
  { value: "level:ERROR", label: "Errors" },
] as const;

interface TraceToolbarProps {
  inputRef: RefObject<HTMLInputElement | null>;
  text: string;
  onText: (text: string) => void;
  found: FindResult;
  onStep: (step: 1 | -1) => void;
  /** Rows that are no hits stay, only paler. */
  highlighting: boolean;
  onHighlighting: (on: boolean) => void;
  view: View;
  onView: (view: View) => void;
  /** Back to the rows, from the field. */
  onDone: () => void;
}

export function TraceToolbar({ inputRef, text, onText, found, onStep, highlighting, onHighlighting, view, onView, onDone }: TraceToolbarProps) {
  const level = levels.find(({ value }) => value !== "" && text.includes(value))?.value ?? "";
  const finding = found.marks !== undefined;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
      <div className="relative min-w-44 flex-1 md:max-w-96">
        <Search size={14} aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-text-3" />
        <input
          ref={inputRef} type="text" value={text} placeholder="Find in trace" aria-label="Find in trace" aria-describedby="find-help" spellCheck={false} autoComplete="off"
          title="Words, and type:TOOL level:ERROR latency:>2 tokens:>1000 cost:>0.01 model:gpt is:unfinished"
          className="h-(--control) w-full rounded-md border border-line-strong bg-raised pr-8 pl-8 text-xs"
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape" && text !== "") onText("");
            else if (event.key === "Escape" || event.key === "ArrowDown") onDone();
            else return;
            event.preventDefault();
          }}
        />
        <span className="absolute top-1/2 right-1 -translate-y-1/2">
          {text === "" ? <span className="mr-1 max-md:hidden"><Kbd keys="/" /></span> : <IconButton icon={X} label="Clear find" className="h-6 w-6 border-0" onClick={() => onText("")} />}
        </span>
      </div>
      {finding && (
        <div className="flex items-center text-xs text-text-2">
          <span className="px-1 whitespace-nowrap">{formatCount(found.hits)}{found.truncated && "+"} {found.hits === 1 ? "hit" : "hits"}</span>
          <IconButton icon={ArrowUp} label="Previous hit" keys="shift+n" disabled={found.hits === 0} onClick={() => onStep(-1)} />
          <IconButton icon={ArrowDown} label="Next hit" keys="n" disabled={found.hits === 0} onClick={() => onStep(1)} />
          <IconButton icon={Highlighter} label="Highlight only, hide no rows" aria-pressed={highlighting} className={cx(highlighting && "bg-selected text-text")} onClick={() => onHighlighting(!highlighting)} />
        </div>
      )}
      <SegmentedControl label="View" value={view} onChange={onView} segments={views} />
      <Select label="Levels" labelHidden className="w-38" value={level} onChange={(next) => onText(withLevel(text, next))} options={levels} />
      <p id="find-help" className={found.problems.length > 0 || found.error !== null ? "w-full text-xs text-danger" : "sr-only"}>
        {found.problems.join("; ")}
        {found.error !== null && "Inputs and outputs could not be searched; names were."}
      </p>
      <LiveRegion>{finding && !found.searching ? `${formatCount(found.hits)} hits` : ""}</LiveRegion>
    </div>
  );
}
