import { useId } from "react";
import { CodeEditor } from "@/shared/code/CodeEditor";
import { type Field, fieldLabels, fields, type ItemTexts } from "./api";

interface ItemFieldsProps {
  texts: ItemTexts;
  /** Undefined: they can only be read. */
  onChange?: (field: Field, text: string) => void;
  problems?: Partial<Record<Field, string[]>>;
}

/** The JSON texts of an item. What does not fit is told below its text, by line. */
export function ItemFields({ texts, onChange, problems = {} }: ItemFieldsProps) {
  return <div className="flex flex-col gap-4">{fields.map((field) => <TextOf key={field} field={field} text={texts[field]} onChange={onChange} found={problems[field] ?? []} />)}</div>;
}

function TextOf({ field, text, onChange, found }: { field: Field; text: string; onChange: ItemFieldsProps["onChange"]; found: string[] }) {
  const id = useId();
  return (
    <section aria-labelledby={`${id}-title`} className="flex min-w-0 flex-col gap-1">
      <h2 id={`${id}-title`} className="text-xs font-medium text-text-2">{fieldLabels[field]}</h2>
      {onChange === undefined && text === "" ? <p className="text-xs text-text-3">Nothing.</p> : (
        <CodeEditor
          label={fieldLabels[field]} language="json" value={text} minLines={field === "input" ? 6 : 4} readOnly={onChange === undefined} onChange={onChange && ((next) => onChange(field, next))}
          invalid={found.length > 0} describedBy={found.length > 0 ? `${id}-error` : undefined}
        />
      )}
      {found.length > 0 && (
        <ul id={`${id}-error`} role="alert" className="flex flex-col gap-0.5 text-xs text-danger">
          {found.map((problem) => <li key={problem} className="break-words">{problem}</li>)}
        </ul>
      )}
    </section>
  );
}
