import { json } from "@codemirror/lang-json";
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { Decoration, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { CodeLanguage } from "./language";
import { typescript } from "./typescript";

const theme = EditorView.theme({
  "&": { color: "var(--text)", fontSize: "12px", maxHeight: "60vh" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px", borderRadius: "5px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "18px", overflow: "auto" },
  ".cm-content": { padding: "6px 0", minHeight: "var(--code-height)", boxSizing: "border-box", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 8px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--line-strong)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--danger-bg)" },
  ".cm-variable": { color: "var(--agent)", fontWeight: "500" },
  ".cm-reference": { color: "var(--accent)", fontWeight: "500" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line)", borderRadius: "6px", boxShadow: "var(--shadow)" },
  "& .cm-tooltip-autocomplete ul li": { padding: "3px 8px", color: "var(--text)" },
  "& .cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--selected)", color: "var(--text)" },
});

// The colors of values in JsonView.
const colors = HighlightStyle.define([
  { tag: tags.string, color: "var(--embedding)" },
  { tag: tags.number, color: "var(--chain)" },
  { tag: [tags.bool, tags.null, tags.atom, tags.keyword], color: "var(--agent)" },
  { tag: tags.comment, color: "var(--text-3)" },
  { tag: tags.propertyName, color: "var(--text)", fontWeight: "500" },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: "var(--text-2)" },
]);

const marks = new MatchDecorator({
  regexp: /(\{\{[^{}]*\}\})|@@@langfusePrompt:[^@]*@@@/g,
  decoration: ([, variable]) => Decoration.mark({ class: variable === undefined ? "cm-reference" : "cm-variable" }),
});

const promptMarks = ViewPlugin.define(
  (view) => ({
    marks: marks.createDeco(view),
    update(update: ViewUpdate) {
      this.marks = marks.updateDeco(update, this.marks);
    },
  }),
  { decorations: (plugin) => plugin.marks },
);

/** Styles are let in by the nonce of this response, as those of layers are (app/nonce.ts). */
const nonce = () => document.querySelector<HTMLMetaElement>("meta[name=sonde-nonce]")?.content ?? "";

/** How editors and differences look: by our tokens, with lines that are broken rather than scrolled. */
export function look(language: CodeLanguage): Extension {
  return [
    EditorView.cspNonce.of(nonce()), theme, EditorView.lineWrapping, EditorView.contentAttributes.of({ spellcheck: language === "text" || language === "prompt" ? "true" : "false" }),
    language === "json" ? json() : language === "typescript" ? typescript : [],
    language === "json" || language === "typescript" ? [syntaxHighlighting(colors), bracketMatching(), indentOnInput()] : [],
    language === "prompt" ? promptMarks : [],
  ];
}
