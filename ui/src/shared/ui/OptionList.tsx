import { Check, Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";

export interface Option {
  value: string;
  label: string;
  hint?: string;
  icon?: ReactNode;
  count?: number;
}

export interface OptionListProps {
  label: string;
  options: readonly Option[];
  selected: readonly string[];
  onPick: (value: string) => void;
  multiple?: boolean;
  /** When given, the caller filters: the options are the answer to what was typed. */
  onSearch?: (text: string) => void;
  placeholder?: string;
}

const shownAtMost = 200;

/** A list with a search field on top: focus stays in the field, arrows move the mark, Enter picks. */
export function OptionList({ label, options, selected, onPick, multiple = false, onSearch, placeholder = "Search" }: OptionListProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [marked, setMarked] = useState(0);
  const found = onSearch ? options : options.filter((option) => `${option.label} ${option.hint ?? ""}`.toLowerCase().includes(text.trim().toLowerCase()));
  const shown = found.slice(0, shownAtMost);
  const current = Math.min(marked, shown.length - 1);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView?.({ block: "nearest" });
  }, [current]);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextMark(event.key, current, shown.length);
    if (next !== null) setMarked(next);
    const option = shown[current];
    if (event.key === "Enter" && option !== undefined) onPick(option.value);
    if (next !== null || event.key === "Enter") event.preventDefault();
  };

  return (
    <div className="flex min-h-0 flex-col">
      <div className="flex items-center gap-2 border-b border-line px-2.5">
        <Search size={14} aria-hidden className="shrink-0 text-text-3" />
        <input
          role="combobox" aria-label={label} aria-expanded aria-controls={`${id}-list`} aria-autocomplete="list"
          aria-activedescendant={current >= 0 ? `${id}-${current}` : undefined}
          className="h-9 w-full min-w-0 bg-transparent text-xs outline-none placeholder:text-text-3 pointer-coarse:h-11 pointer-coarse:text-lg"
          placeholder={placeholder} autoComplete="off" spellCheck={false} value={text} onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.target.value);
            setMarked(0);
            onSearch?.(event.target.value);
          }}
        />
      </div>
      <div ref={list} role="listbox" id={`${id}-list`} aria-label={label} aria-multiselectable={multiple} tabIndex={-1} className="max-h-72 overflow-auto p-1">
        {shown.map((option, index) => {
          const chosen = selected.includes(option.value);
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys are taken by the field above
            <div
              key={option.value} id={`${id}-${index}`} role="option" aria-selected={chosen} tabIndex={-1} data-marked={index === current ? "" : undefined}
              className={cx("flex min-h-7 cursor-pointer items-center gap-2 rounded-sm px-2 text-xs pointer-coarse:min-h-11", index === current && "bg-selected")}
              onPointerMove={() => setMarked(index)} onClick={() => onPick(option.value)}
            >
              <Check size={14} aria-hidden className={cx("shrink-0", !chosen && "invisible")} />
              {option.icon}
              <span className="min-w-0 flex-1 truncate">{option.label}</span>
              {option.hint !== undefined && <span className="max-w-40 truncate text-text-3">{option.hint}</span>}
              {option.count !== undefined && <span className="text-text-3">{formatCount(option.count)}</span>}
            </div>
          );
        })}
      </div>
      <p role="status" className={cx("px-3 text-xs text-text-3", shown.length === found.length && shown.length > 0 ? "sr-only" : "py-2")}>
        {statusText(shown.length, found.length)}
      </p>
    </div>
  );
}

function nextMark(key: string, current: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return (current + 1) % count;
  if (key === "ArrowUp") return (current - 1 + count) % count;
  if (key === "PageDown") return Math.min(current + 10, count - 1);
  if (key === "PageUp") return Math.max(current - 10, 0);
  return null;
}

function statusText(shown: number, found: number): string {
  if (found === 0) return "Nothing matches.";
  return shown < found ? `${shown} of ${formatCount(found)} shown: type to narrow them down.` : `${found} found`;
}
