import { defaultKeymap } from "@codemirror/commands";
import { Chunk, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension, Text } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useMemo, useRef } from "react";
import { formatCount } from "@/shared/lib/format";
import type { DiffViewProps } from "./DiffView";
import { look } from "./look";

const theme = EditorView.theme({
  "&": { maxHeight: "none" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--text-3)", border: "none" },
  "&.cm-merge-a .cm-changedLine, & .cm-deletedChunk": { backgroundColor: "var(--danger-bg)" },
  "&.cm-merge-b .cm-changedLine, & .cm-insertedLine": { backgroundColor: "var(--ok-bg)" },
  "&.cm-merge-a .cm-changedText, & .cm-deletedChunk .cm-deletedText": { background: "none", textDecoration: "underline 2px var(--danger)" },
  "&.cm-merge-b .cm-changedText": { background: "none", textDecoration: "underline 2px var(--ok)" },
  "& .cm-changedLineGutter, &.cm-merge-b .cm-changedLineGutter": { background: "var(--ok)" },
  "&.cm-merge-a .cm-changedLineGutter, & .cm-deletedLineGutter": { background: "var(--danger)" },
});

const keys = keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), { key: "F7", run: goToNextChunk, shift: goToPreviousChunk }]);

// Texts of megabytes that have little in common are compared by lines rather than for minutes.
const diffConfig = { scanLimit: 500, timeout: 500 };

/** The differences themselves, in a chunk of their own. */
export default function DiffBox({ before, after, language, beforeLabel, afterLabel, split }: Required<Omit<DiffViewProps, "layout">> & { split: boolean }) {
  const box = useRef<HTMLElement>(null);
  const changes = useMemo(() => Chunk.build(textOf(before), textOf(after), diffConfig).length, [before, after]);
  useEffect(() => {
    const parent = box.current ?? undefined;
    const side = (label: string): Extension => [
      theme, look(language), keys, lineNumbers(), EditorState.readOnly.of(true), EditorView.contentAttributes.of({ "aria-label": label, inputmode: "none" }),
    ];
    const view = split
      ? new MergeView({ parent, diffConfig, a: { doc: before, extensions: side(beforeLabel) }, b: { doc: after, extensions: side(afterLabel) } })
      : new EditorView({ parent, doc: after, extensions: [side(`${beforeLabel} to ${afterLabel}`), unifiedMergeView({ original: before, mergeControls: false, diffConfig })] });
    return () => view.destroy();
  }, [before, after, language, split, beforeLabel, afterLabel]);
  return (
    <>
      <div className="flex gap-2 border-b border-line bg-surface px-2 py-1 text-xs text-text-2">
        <span className="min-w-0 flex-1 truncate">{beforeLabel}</span>
        <span className="shrink-0 text-text-3">{changes === 0 ? "No differences" : `${formatCount(changes)} ${changes === 1 ? "change" : "changes"}`}</span>
        <span className="min-w-0 flex-1 truncate text-right">{afterLabel}</span>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <section ref={box} tabIndex={0} aria-label={`Differences between ${beforeLabel} and ${afterLabel}`} className="max-h-[60vh] overflow-auto" />
    </>
  );
}

const textOf = (text: string) => Text.of(text.split(/\r\n?|\n/));
