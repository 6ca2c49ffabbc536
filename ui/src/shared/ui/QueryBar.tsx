import { CircleAlert, Search, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import type { Catalog } from "@/shared/filter/catalog";
import { complete, type Completion, type Known } from "@/shared/filter/complete";
import type { Query } from "@/shared/filter/condition";
import { parse } from "@/shared/filter/parse";
import { cx } from "@/shared/lib/classes";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { IconButton } from "./IconButton";
import { Kbd } from "./Kbd";
import { QueryCompletions } from "./QueryCompletions";

export interface QueryBarProps {
  label: string;
  value: string;
  /** A text without problems was entered. */
  onCommit: (text: string) => void;
  /** Values that columns have, to complete what is typed. */
  known?: Known;
  /** What can be filtered by; observations unless given. */
  catalog?: Catalog;
  placeholder?: string;
  className?: string;
}

const textClass = "font-mono text-xs pointer-coarse:text-lg";

/** One line for the query of a list: it completes while typing, and says under the word what is wrong with it. */
export function QueryBar({ label, value, onCommit, known, catalog, placeholder, className }: QueryBarProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(value);
  const [committed, setCommitted] = useState(value);
  const [caret, setCaret] = useState(value.length);
  const [open, setOpen] = useState(false);
  const [marked, setMarked] = useState(-1);
  const [scrolled, setScrolled] = useState(0);
  if (committed !== value) {
    setCommitted(value);
    setDraft(value);
  }
  useShortcuts("List", [{ keys: "/", label: "Write a query", run: () => input.current?.focus() }]);

  const query = parse(draft, catalog);
  // A word that is still being typed is not wrong yet.
  const problem = query.problems.find(({ from: start, to: end }) => !open || caret < start || caret > end);
  const { from, to, items } = open ? complete(draft, caret, known, catalog) : { from: 0, to: 0, items: [] };

  const type = (text: string, at: number) => {
    setDraft(text);
    setCaret(at);
    setMarked(-1);
    setOpen(true);
  };
  const accept = (item: Completion) => {
    const at = from + item.insert.length;
    type(draft.slice(0, from) + item.insert + draft.slice(to), at);
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at));
  };
  const commit = () => {
    setOpen(false);
    if (query.problems.length === 0 && draft.trim() !== value) onCommit(draft.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const item = items[marked];
    if ((event.key === "Enter" || event.key === "Tab") && item !== undefined) accept(item);
    else if (event.key === "Enter") commit();
    else if (event.key === "ArrowDown" && !open) setOpen(true);
    else if (event.key === "ArrowDown" && items.length > 0) setMarked((marked + 1) % items.length);
    else if (event.key === "ArrowUp" && items.length > 0) setMarked((marked - 1 + items.length) % items.length);
    else if (event.key === "Escape" && open && items.length > 0) setOpen(false);
    else if (event.key === "Escape") setDraft(value);
    else return;
    event.preventDefault();
  };

  return (
    <div className={cx("relative min-w-0", className)}>
      <div className={cx("flex h-(--control) items-center rounded-md border bg-raised has-[input:focus-visible]:outline-2 has-[input:focus-visible]:-outline-offset-1 has-[input:focus-visible]:outline-focus", query.problems.length > 0 ? "border-danger" : "border-line-strong")}>
        <Search size={14} aria-hidden className="mx-2 shrink-0 text-text-3" />
        <div className="relative h-full min-w-0 flex-1 overflow-hidden">
          <div aria-hidden className={cx("pointer-events-none absolute inset-0 flex items-center whitespace-pre", textClass)} style={{ transform: `translateX(${-scrolled}px)` }}>
            <span><Highlighted query={query} typedAt={open ? caret : -1} /></span>
          </div>
          <input
            ref={input} role="combobox" aria-label={label} aria-expanded={items.length > 0} aria-controls={`${id}-list`} aria-autocomplete="list"
            aria-activedescendant={marked >= 0 ? `${id}-${marked}` : undefined} aria-invalid={query.problems.length > 0 || undefined} aria-describedby={problem ? `${id}-problem` : undefined}
            className={cx("relative h-full w-full bg-transparent text-transparent caret-text outline-none placeholder:font-sans placeholder:text-text-3", textClass)}
            placeholder={placeholder} autoComplete="off" autoCapitalize="off" spellCheck={false} value={draft}
            onChange={(event) => type(event.target.value, event.target.selectionStart ?? event.target.value.length)}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
            onScroll={(event) => setScrolled(event.currentTarget.scrollLeft)}
            onFocus={() => setOpen(true)} onBlur={commit} onKeyDown={onKeyDown}
          />
        </div>
        {draft === "" ? <span className="mx-2 max-md:hidden"><Kbd keys="/" /></span> : <IconButton icon={X} label="Clear the query" onClick={() => (setDraft(""), onCommit(""))} />}
      </div>
      <QueryCompletions id={id} items={items} marked={marked} offset={from} onMark={setMarked} onPick={accept} />
      {problem && (
        <p id={`${id}-problem`} role="alert" className="flex items-start gap-1 pt-1 text-xs text-danger" style={{ paddingLeft: `min(calc(32px + ${problem.from}ch - ${scrolled}px), 40%)` }}>
          <CircleAlert size={14} aria-hidden className="mt-px shrink-0" />
          {problem.message}
        </p>
      )}
    </div>
  );
}

/** The text with its parts told apart: columns, and what is wrong but for the word that is being typed. */
function Highlighted({ query, typedAt }: { query: Query; typedAt: number }) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const term of query.terms) {
    parts.push(query.text.slice(at, term.from));
    const text = query.text.slice(term.from, term.to);
    const colon = term.condition === undefined ? -1 : text.indexOf(":");
    const wrong = term.problem !== undefined && (typedAt < term.from || typedAt > term.to);
    parts.push(
      wrong ? <span key={term.from} className="text-danger underline decoration-wavy underline-offset-3">{text}</span> : (
        <span key={term.from}><span className="text-accent">{text.slice(0, colon + 1)}</span>{text.slice(colon + 1)}</span>
      ),
    );
    at = term.to;
  }
  return <>{parts}{query.text.slice(at)}</>;
}
