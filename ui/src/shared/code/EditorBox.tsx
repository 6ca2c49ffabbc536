import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import type { CodeEditorProps } from "./CodeEditor";
import { completion } from "./completion";
import { look } from "./look";

/** A change that came from outside is not told outside again. */
const fromOutside = Annotation.define<boolean>();
const keys = [...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap];

/** What is typed in place of a selection is put in by the editor. Left to itself the browser carries the color of the replaced text along, as
 * a style that the page's policy refuses. */
const typedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== "insertText" || event.data === null || view.composing || view.state.readOnly || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/** The editor itself, in a chunk of its own. Another language needs another editor. */
export default function EditorBox({ label, value, onChange, language, readOnly = false, invalid = false, describedBy, variables }: Omit<CodeEditorProps, "minLines">) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const attributes = useRef(new Compartment());
  const changed = useEffectEvent((text: string) => onChange?.(text));
  const names = useEffectEvent(() => variables ?? []);
  const create = useEffectEvent((parent: Element) => new EditorView({
    parent,
    doc: value,
    extensions: [
      look(language), history(), keymap.of(keys), typedOver, EditorState.readOnly.of(readOnly), attributes.current.of([]),
      language === "prompt" && !readOnly ? completion(() => names()) : [],
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.some((one) => one.annotation(fromOutside))) changed(update.state.doc.toString());
      }),
    ],
  }));
  useEffect(() => {
    if (box.current === null) return undefined;
    view.current = create(box.current);
    return () => view.current?.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value }, annotations: fromOutside.of(true) });
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({ effects: attributes.current.reconfigure(attributesOf(label, readOnly, invalid, describedBy)) });
  }, [label, readOnly, invalid, describedBy]);
  return <div ref={box} />;
}

function attributesOf(label: string, readOnly: boolean, invalid: boolean, describedBy: string | undefined): Extension {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    ...(invalid && { "aria-invalid": "true" }),
    ...(describedBy !== undefined && { "aria-describedby": describedBy }),
    // What cannot be changed needs no keyboard on the screen.
    ...(readOnly && { inputmode: "none" }),
  });
}
