import { ChevronDown, ChevronRight } from "lucide-react";
import { cx } from "@/shared/lib/classes";
import { formatBytes } from "@/shared/lib/format";
import type { Row } from "./rows";
import type { Child, Value } from "./scan";
import { shownCharacters, sourceOf, stringOf } from "./text";

interface JsonRowProps {
  id: string;
  bytes: Uint8Array;
  row: Row;
  height: number;
  current: boolean;
  index: number;
}

const indent = 16;

/** One line of a JSON tree. Keys and presses are for the tree. */
export function JsonRow({ id, bytes, row, height, current, index }: JsonRowProps) {
  const Caret = row.kind === "value" && row.open ? ChevronDown : ChevronRight;
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={current}
      aria-expanded={row.kind === "value" && row.foldable ? row.open : undefined}
      data-index={index}
      className={cx("flex w-full min-w-max items-center gap-1 pr-3 whitespace-pre", current && "bg-selected")}
      style={{ height, paddingLeft: 8 + row.depth * indent }}
    >
      {row.kind === "value" && row.foldable ? <Caret size={12} aria-hidden className="shrink-0 text-text-3" /> : <span className="w-3 shrink-0" />}
      {row.kind === "more" ? <span className="text-accent">Show more (after {row.shown})</span> : <Content bytes={bytes} value={row.value} open={row.open} />}
    </div>
  );
}

function Content({ bytes, value, open }: { bytes: Uint8Array; value: Value | Child; open: boolean }) {
  return (
    <>
      {"index" in value && <span className="text-text-3">{value.key === undefined ? value.index : stringOf(bytes, value.key, shownCharacters).text}: </span>}
      <Shown bytes={bytes} value={value} open={open} />
    </>
  );
}

const tones: Partial<Record<Value["kind"], string>> = { string: "text-embedding", number: "text-chain", true: "text-agent", false: "text-agent", null: "text-text-3" };

function Shown({ bytes, value, open }: { bytes: Uint8Array; value: Value; open: boolean }) {
  const size = value.end - value.start;
  if (value.kind === "object" || value.kind === "array") {
    const [begin, end] = value.kind === "object" ? ["{", "}"] : ["[", "]"];
    if (open) return <span className="text-text-2">{begin}</span>;
    return <span className="text-text-2">{size <= 60 ? sourceOf(bytes, value) : `${begin} ${formatBytes(size)} ${end}`}</span>;
  }
  if (value.kind !== "string") return <span className={tones[value.kind]}>{sourceOf(bytes, value)}</span>;
  const { text, cut } = stringOf(bytes, value, shownCharacters);
  return (
    <span className={tones.string}>
      {JSON.stringify(text)}
      {cut > 0 && <span className="text-text-3"> and {formatBytes(cut)} more</span>}
    </span>
  );
}
