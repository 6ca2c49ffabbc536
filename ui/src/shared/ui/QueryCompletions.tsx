import type { Completion } from "@/shared/filter/complete";
import { cx } from "@/shared/lib/classes";

export interface QueryCompletionsProps {
  /** Of the field; the list is `${id}-list`, its options `${id}-0` and so on. */
  id: string;
  items: readonly Completion[];
  marked: number;
  /** How many characters stand before the word that is completed. */
  offset: number;
  onMark: (index: number) => void;
  onPick: (item: Completion) => void;
}

/** What may be typed next, below the word. Focus stays in the field. */
export function QueryCompletions({ id, items, marked, offset, onMark, onPick }: QueryCompletionsProps) {
  return (
    <div
      id={`${id}-list`} role="listbox" aria-label="Completions" hidden={items.length === 0} tabIndex={-1}
      className="absolute top-full z-30 mt-1 max-h-80 w-80 max-w-full overflow-auto rounded-lg border border-line bg-raised p-1 shadow-overlay"
      style={{ left: `min(calc(24px + ${offset}ch), max(0px, 100% - 320px))` }}
    >
      {items.map((item, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys are taken by the field
        <div
          key={item.label} id={`${id}-${index}`} role="option" aria-selected={index === marked} tabIndex={-1}
          className={cx("flex min-h-7 cursor-pointer items-center gap-3 rounded-sm px-2 text-xs pointer-coarse:min-h-11", index === marked && "bg-selected")}
          onPointerMove={() => onMark(index)}
          onPointerDown={(event) => event.preventDefault()} // focus stays in the field
          onClick={() => onPick(item)}
        >
          <span className="min-w-0 flex-1 truncate font-mono">{item.label}</span>
          {item.detail !== undefined && <span className="max-w-48 shrink-0 truncate text-2xs text-text-3">{item.detail}</span>}
        </div>
      ))}
    </div>
  );
}
