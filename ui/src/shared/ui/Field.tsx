import { type ReactNode, useId } from "react";
import { cx } from "@/shared/lib/classes";

export function inputClass(extra?: string): string {
  return cx(
    "h-(--control) w-full min-w-0 rounded-md border border-line-strong bg-raised px-2 text-xs text-text pointer-coarse:text-lg",
    "placeholder:text-text-3 disabled:opacity-50 aria-invalid:border-danger",
    extra,
  );
}

export interface FieldProps {
  label: string;
  /** Only for those who do not see it: where the place says it already. */
  labelHidden?: boolean;
  hint?: ReactNode;
  error?: string;
  className?: string;
}

/** What ties an input to its label, hint and error. */
export interface FieldParts {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

export function Field({ label, labelHidden = false, hint, error, className, children }: FieldProps & { children: (parts: FieldParts) => ReactNode }) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", className)}>
      <label id={`${id}-label`} htmlFor={id} className={labelHidden ? "sr-only" : "text-xs font-medium text-text-2"}>{label}</label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error ? true : undefined })}
      {hint !== undefined && <p id={`${id}-hint`} className="text-xs text-text-3">{hint}</p>}
      {error && <p id={`${id}-error`} role="alert" className="text-xs text-danger">{error}</p>}
    </div>
  );
}
