import type { ComponentProps } from "react";
import { Field, type FieldProps, inputClass } from "./Field";

type Input = Omit<ComponentProps<"input">, "value" | "onChange" | "className" | "id">;

export interface TextFieldProps extends FieldProps, Input {
  value: string;
  onChange: (value: string) => void;
}

export function TextField({ label, labelHidden, hint, error, className, value, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className}>
      {(parts) => <input type="text" {...input} {...parts} className={inputClass()} value={value} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

export interface TextAreaProps extends FieldProps, Omit<ComponentProps<"textarea">, "value" | "onChange" | "className" | "id"> {
  value: string;
  onChange: (value: string) => void;
}

export function TextArea({ label, labelHidden, hint, error, className, value, onChange, rows = 4, ...area }: TextAreaProps) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className}>
      {(parts) => <textarea rows={rows} {...area} {...parts} className={inputClass("h-auto py-1.5 leading-5")} value={value} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}
