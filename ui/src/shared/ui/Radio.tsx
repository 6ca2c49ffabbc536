import { useId } from "react";
import { cx } from "@/shared/lib/classes";
import { ChoiceText, choiceClass } from "./Checkbox";

export interface RadioGroupProps<T extends string> {
  label: string;
  value: T | undefined;
  onChange: (value: T) => void;
  options: readonly { value: T; label: string; hint?: string; disabled?: boolean }[];
  className?: string;
}

export function RadioGroup<T extends string>({ label, value, onChange, options, className }: RadioGroupProps<T>) {
  const name = useId();
  return (
    <fieldset className={cx("flex flex-col", className)}>
      <legend className="mb-1 text-xs font-medium text-text-2">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={choiceClass}>
          <input type="radio" className="check rounded-full" name={name} checked={option.value === value} disabled={option.disabled} onChange={() => onChange(option.value)} />
          <ChoiceText hint={option.hint}>{option.label}</ChoiceText>
        </label>
      ))}
    </fieldset>
  );
}
