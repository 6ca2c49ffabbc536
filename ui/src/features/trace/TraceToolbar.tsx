import { ArrowDown, ArrowUp, ChartGantt, Highlighter, ListFilter, ListTree, MessagesSquare, ScanLine, ScrollText, Search, Workflow, X } from "lucide-react";
import type { RefObject } from "react";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import { withLevel } from "@/shared/trace/find";
import { IconButton } from "@/shared/ui/IconButton";
import { Kbd } from "@/shared/ui/Kbd";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { Button } from "@/shared/ui/Button";
import { Menu, MenuChoices } from "@/shared/ui/Menu";
import type { FindResult } from "./useFind";

/** The views over one trace and one selection. */
export const views = [
  { value: "timeline", label: "Timeline", icon: ChartGantt },
  { value: "tree", label: "Tree", icon: ListTree },
  { value: "transcript", label: "Transcript", icon: MessagesSquare },
  { value: "graph", label: "Graph", icon: Workflow },
  { value: "log", label: "Log", icon: ScrollText },
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
  wide: boolean;
  following: boolean;
  onFollow: (on: boolean) => void;
}

export function TraceToolbar(props: TraceToolbarProps) {
  const { inputRef, text, onText, found, onStep, highlighting, onHighlighting, view, onView, onDone, wide, following, onFollow } = props;
  const finding = found.marks !== undefined;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
      <div className="relative min-w-28 flex-1 md:max-w-96">
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
      <SegmentedControl label="View" value={view} onChange={onView} segments={views} iconsOnly={!wide} />
      <LevelMenu text={text} onText={onText} />
      {!wide && view === "timeline" && <IconButton icon={ScanLine} label="Follow scroll" aria-pressed={following} className={cx(following && "bg-selected text-text")} onClick={() => onFollow(!following)} />}
      <p id="find-help" className={found.problems.length > 0 || found.error !== null ? "w-full text-xs text-danger" : "sr-only"}>
        {found.problems.join("; ")}
        {found.error !== null && "Inputs and outputs could not be searched; names were."}
      </p>
      <LiveRegion>{finding && !found.searching ? `${formatCount(found.hits)} hits` : ""}</LiveRegion>
    </div>
  );
}

/** Which levels are found: a condition of the find, as if it were typed. */
function LevelMenu({ text, onText }: Pick<TraceToolbarProps, "text" | "onText">) {
  const level = levels.find(({ value }) => value !== "" && text.includes(value)) ?? levels[0];
  const trigger = <Button icon={ListFilter} className={cx(level.value !== "" && "bg-selected")}><span className="max-md:sr-only">{level.label}</span></Button>;
  return (
    <Menu trigger={trigger}>
      <MenuChoices label="Levels" value={level.value} onChange={(next) => onText(withLevel(text, next))} options={levels} />
    </Menu>
  );
}
