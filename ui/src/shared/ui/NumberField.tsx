import { useState } from "react";
import { Field, type FieldProps, inputClass } from "./Field";

export interface NumberFieldProps extends FieldProps {
  value: number | null;
  /** Null when the field is empty. Called with numbers in range only. */
  onChange: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number;
  unit?: string;
  disabled?: boolean;
  required?: boolean;
}

export function NumberField({ label, labelHidden, hint, error, className, value, onChange, min, max, step, unit, disabled, required }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null); // what stands there while it is no number in range
  const problem = typed === null ? undefined : rangeText(min, max);
  const change = (text: string) => {
    const number = Number(text);
    const good = text.trim() === "" || (Number.isFinite(number) && number >= (min ?? -Infinity) && number <= (max ?? Infinity));
    setTyped(good ? null : text);
    if (good) onChange(text.trim() === "" ? null : number);
  };
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error ?? problem} className={className}>
      {(parts) => (
        <span className="flex items-center gap-2">
          <input
            {...parts} type="number" inputMode="decimal" className={inputClass("text-right")} disabled={disabled} required={required}
            min={min} max={max} step={step ?? "any"} value={typed ?? value ?? ""} onChange={(event) => change(event.target.value)}
          />
          {unit !== undefined && <span className="text-xs text-text-2">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

function rangeText(min?: number, max?: number): string {
  if (min !== undefined && max !== undefined) return `A number from ${min} to ${max}.`;
  if (min !== undefined) return `A number from ${min} up.`;
  return max === undefined ? "A number." : `A number up to ${max}.`;
}
