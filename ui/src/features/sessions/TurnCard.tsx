import { Link } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { formatCount, formatDuration } from "@/shared/lib/format";
import { buttonClass } from "@/shared/ui/Button";
import { Duration, Money, Tokens } from "@/shared/ui/Figures";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { ScoreChip } from "@/shared/ui/ScoreChip";
import { Skeleton } from "@/shared/ui/Skeleton";
import type { TurnContent, TurnFigures } from "./api";
import { ToolCalls } from "./ToolCalls";
import { TurnText } from "./TurnText";
import { shortestIdle, type Turn } from "./turns";

export interface TurnCardProps {
  turn: Turn;
  /** Its number in the session, as far as that is read. */
  place: number;
  current: boolean;
  content: TurnContent | undefined;
  figures: TurnFigures | undefined;
}

/** One turn of the transcript: what was asked, which tools were called, what was answered, and what it took. */
export function TurnCard({ turn, place, current, content, figures }: TurnCardProps) {
  const { id: projectId } = useProject();
  const { preview } = content ?? {};
  const silent = preview === undefined || (preview.input === null && preview.output === null);
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-2 px-4 py-3">
      {turn.idle >= shortestIdle && <p className="flex items-center gap-3 pb-1 text-2xs text-text-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">{formatDuration(turn.idle)} idle</p>}
      <header className={cx("flex flex-wrap items-center gap-x-3 gap-y-1 -ml-3 border-l-3 pl-2.5 text-xs text-text-2", current ? "border-accent" : "border-transparent")}>
        <h2 className="text-sm font-semibold text-text">Turn {formatCount(place)}</h2>
        <span className="flex min-w-0 items-center gap-1"><span className="truncate">{turn.name}</span><LevelIcon level={turn.level} /></span>
        <AbsoluteTime value={turn.start} />
        <Duration ms={turn.end === null ? null : turn.end - turn.start} />
        {figures !== undefined && figures.tokens > 0 && <span><Tokens count={figures.tokens} /> tokens</span>}
        <Money amount={figures?.cost || null} />
        {figures !== undefined && figures.errors > 0 && <span className="text-danger">{figures.errors === 1 ? "1 error" : `${formatCount(figures.errors)} errors`}</span>}
        <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: turn.traceId }} className={buttonClass("ghost", "ml-auto")}>
          <Activity size={14} aria-hidden />
          Open trace<span className="sr-only"> of turn {place}</span>
        </Link>
      </header>
      {content === undefined && <div className="flex h-28 flex-col gap-2 rounded-md border border-line p-3"><Skeleton className="w-3/4" /><Skeleton className="w-1/2" /></div>}
      {preview !== undefined && <TurnText turn={turn} part="input" preview={preview} />}
      {content !== undefined && <ToolCalls traceId={turn.traceId} tools={content.tools} />}
      {preview !== undefined && <TurnText turn={turn} part="output" preview={preview} />}
      {turn.level === "ERROR" && turn.statusMessage !== null && <p className="rounded-md bg-danger-bg px-3 py-2 text-sm break-words text-text">{turn.statusMessage}</p>}
      {content !== undefined && silent && <p className="text-xs text-text-3">Its root says neither what went in nor what came out; the trace shows its steps.</p>}
      {content !== undefined && content.scores.length > 0 && (
        <ul aria-label={`Scores of turn ${place}`} className="flex flex-wrap gap-1">{content.scores.map((score) => <li key={score.id} className="flex min-w-0"><ScoreChip score={score} /></li>)}</ul>
      )}
    </div>
  );
}
