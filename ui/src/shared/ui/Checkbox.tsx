import { type ComponentProps, type ReactNode, useEffect, useRef } from "react";
import { cx } from "@/shared/lib/classes";

export interface CheckboxProps extends Omit<ComponentProps<"input">, "type" | "onChange" | "ref" | "children"> {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Some of what it stands for is ticked. */
  indeterminate?: boolean;
  hint?: string;
  /** The label. Without one, give aria-label. */
  children?: ReactNode;
}

export function Checkbox({ checked, onChange, indeterminate = false, hint, children, className, ...rest }: CheckboxProps) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current !== null) ref.current.indeterminate = indeterminate;
  }, [indeterminate]);
  return (
    <label className={cx(choiceClass, className)}>
      <input {...rest} ref={ref} type="checkbox" className="check" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <ChoiceText hint={hint}>{children}</ChoiceText>
    </label>
  );
}

export const choiceClass = "inline-flex min-h-6 items-start gap-2 py-0.5 text-xs pointer-coarse:min-h-11 pointer-coarse:items-center has-disabled:opacity-50";

export function ChoiceText({ hint, children }: { hint?: string; children?: ReactNode }) {
  if (children === undefined || children === null) return null;
  return (
    <span className="min-w-0 leading-5">
      {children}
      {hint !== undefined && <span className="block text-text-3">{hint}</span>}
    </span>
  );
}
