import { cx } from "@/shared/lib/classes";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import type { TraceRows } from "@/shared/trace/rows";
import { durationText } from "@/shared/trace/view/LaneBar";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { TypeIcon } from "@/shared/ui/TypeIcon";
import type { LogText } from "./useLogTexts";

interface LogRowProps {
  id: string;
  rows: TraceRows;
  row: number;
  wide: boolean;
  height: number;
  top: number;
  place: number;
  count: number;
  selected: boolean;
  /** Undefined while it is on its way. */
  text: LogText | undefined;
  onSelect: () => void;
}

export function LogRow({ id, rows, row, wide, height, top, place, count, selected, text, onSelect }: LogRowProps) {
  const [zone] = useTimeZone();
  const started = absoluteTime(Date.parse(rows.head.startTime) + rows.start[row]!, zone, true);
  const time = <span className="shrink-0 font-mono text-2xs text-text-2" title={started}>{started.slice("2026-01-01 ".length)}</span>;
  const name = <span className="min-w-0 truncate font-medium">{rows.nameOf(row)}</span>;
  const level = rows.head.levels[rows.level[row]!] ?? "";
  return (
    // The list has the focus and takes the keys for all of its rows.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/click-events-have-key-events
    <div
      role="option" id={id} aria-selected={selected} aria-posinset={place} aria-setsize={count} onClick={onSelect}
      className={cx("absolute inset-x-0 flex cursor-pointer gap-2 overflow-hidden px-3 text-xs contain-strict", wide ? "items-center" : "flex-col justify-center gap-0!", selected ? "bg-selected shadow-[inset_2px_0_0_var(--accent)]" : "hover:bg-surface")}
      style={{ height, top }}
    >
      {wide ? (
        <>
          {time}
          <span className="flex w-56 shrink-0 items-center gap-1.5"><TypeIcon type={rows.typeOf(row)} />{name}<LevelIcon level={level} /></span>
          <Begins text={text} />
          <span className="w-16 shrink-0 text-right text-2xs text-text-3">{durationText(rows, row, false)}</span>
        </>
      ) : (
        <>
          <span className="flex items-center gap-1.5"><TypeIcon type={rows.typeOf(row)} />{name}<LevelIcon level={level} /><span className="flex-1" />{time}</span>
          <Begins text={text} />
        </>
      )}
    </div>
  );
}

/** Its message, or how its texts begin. */
function Begins({ text }: { text: LogText | undefined }) {
  if (text === undefined) return <span className="min-w-0 flex-1" />;
  if (text.message !== undefined) return <span className="min-w-0 flex-1 truncate text-danger">{text.message}</span>;
  return (
    <span className="min-w-0 flex-1 truncate text-text-3">
      {text.input}
      {text.output !== "" && <span className="text-text-2"> → {text.output}</span>}
    </span>
  );
}
