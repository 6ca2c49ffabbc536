import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { Field, type FieldProps, inputClass } from "./Field";

export interface SelectProps<T extends string> extends FieldProps, Omit<ComponentProps<"select">, "value" | "onChange" | "className" | "id"> {
  value: T;
  onChange: (value: T) => void;
  options: readonly { value: T; label: string; disabled?: boolean }[];
}

/** The browser's own list: no code, right on every phone. A list that is searched is a Combobox. */
export function Select<T extends string>({ label, labelHidden, hint, error, className, value, onChange, options, ...select }: SelectProps<T>) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className}>
      {(parts) => (
        <span className="relative">
          <select {...select} {...parts} className={inputClass("cursor-pointer appearance-none pr-7")} value={value} onChange={(event) => onChange(event.target.value as T)}>
            {options.map((option) => <option key={option.value} value={option.value} disabled={option.disabled}>{option.label}</option>)}
          </select>
          <ChevronDown size={14} aria-hidden className="pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 text-text-3" />
        </span>
      )}
    </Field>
  );
}
