import { type CSSProperties, lazy, Suspense } from "react";
import { cx } from "@/shared/lib/classes";
import { Field, type FieldProps } from "@/shared/ui/Field";
import type { CodeLanguage } from "./language";

const EditorBox = lazy(() => import("./EditorBox"));

export interface CodeEditorProps {
  /** What the text is, for those who do not see where it stands. */
  label: string;
  value: string;
  onChange?: (value: string) => void;
  language: CodeLanguage;
  readOnly?: boolean;
  invalid?: boolean;
  /** The id of a hint or of an error. */
  describedBy?: string;
  minLines?: number;
  /** Names that are offered after "{{", beside those in the text. */
  variables?: readonly string[];
}

const lineHeight = 18;
const padding = 12;

/**
 * A text with lines. Tab leaves it, as it leaves every field; lines are indented by Ctrl+] and Ctrl+[. Ctrl+F, Ctrl+S
 * and Ctrl+Enter are left to the browser and the page.
 */
export function CodeEditor({ minLines = 3, ...editor }: CodeEditorProps) {
  const height = `${minLines * lineHeight + padding}px`;
  return (
    <div className={cx("min-w-0 overflow-hidden rounded-md border bg-raised", editor.invalid ? "border-danger" : "border-line-strong")} style={{ "--code-height": height, minHeight: height } as CSSProperties}>
      <Suspense fallback={<pre className="max-h-96 overflow-hidden px-2 py-1.5 font-mono text-xs break-words whitespace-pre-wrap text-text-3">{editor.value.slice(0, 4000)}</pre>}>
        <EditorBox key={`${editor.language} ${editor.readOnly}`} {...editor} />
      </Suspense>
    </div>
  );
}

/** A CodeEditor with what a form has around a field. */
export function CodeField({ label, labelHidden, hint, error, className, ...editor }: FieldProps & Omit<CodeEditorProps, "invalid" | "describedBy">) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className}>
      {(parts) => <CodeEditor label={label} {...editor} invalid={parts["aria-invalid"]} describedBy={parts["aria-describedby"]} />}
    </Field>
  );
}
