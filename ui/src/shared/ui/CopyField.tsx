import { CopyButton } from "./CopyButton";
import { Field, type FieldProps, inputClass } from "./Field";

/** A value to take along: selected by a click, copied by its button. */
export function CopyField({ value, ...field }: FieldProps & { value: string }) {
  return (
    <Field {...field}>
      {(parts) => (
        <span className="flex gap-1">
          <input {...parts} readOnly className={inputClass("font-mono text-text-2")} value={value} onFocus={(event) => event.target.select()} />
          <CopyButton text={value} label={`Copy ${field.label}`} variant="secondary" />
        </span>
      )}
    </Field>
  );
}
