import { autocompletion, type CompletionContext, completionKeymap, type CompletionResult } from "@codemirror/autocomplete";
import { type Extension, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";

/** Offers the variables of a prompt after "{{": those in its text, and others that are known. */
export function completion(known: () => readonly string[]): Extension {
  return [autocompletion({ override: [(context) => offer(context, known())], icons: false }), Prec.high(keymap.of(completionKeymap))];
}

function offer(context: CompletionContext, known: readonly string[]): CompletionResult | null {
  const begun = context.matchBefore(/\{\{\s*[\w.-]*/);
  if (begun === null) return null;
  const text = context.state.doc.toString();
  const closed = context.state.sliceDoc(context.pos, context.pos + 2) === "}}";
  const inText = [...text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g)].flatMap(([, name]) => name ?? []);
  const options = [...new Set([...known, ...inText])].map((name) => ({ label: name, apply: closed ? name : `${name}}}`, type: "variable" }));
  return { from: begun.from + begun.text.search(/[\w.-]*$/), options, validFor: /^[\w.-]*$/ };
}
