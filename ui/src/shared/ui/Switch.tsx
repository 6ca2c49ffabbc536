import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";
import { ChoiceText, choiceClass } from "./Checkbox";

export interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  hint?: string;
  className?: string;
  children: ReactNode;
}

/** On or off, at once; a checkbox is for what a form sends later. */
export function Switch({ checked, onChange, disabled, hint, className, children }: SwitchProps) {
  return (
    <label className={cx(choiceClass, className)}>
      <input type="checkbox" role="switch" aria-checked={checked} className="switch" checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
      <ChoiceText hint={hint}>{children}</ChoiceText>
    </label>
  );
}
