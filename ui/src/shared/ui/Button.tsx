import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { cx } from "@/shared/lib/classes";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";

const variants: Record<ButtonVariant, string> = {
  primary: "border-transparent bg-accent text-on-accent hover:opacity-95",
  secondary: "border-line-strong bg-raised text-text hover:bg-surface",
  ghost: "border-transparent text-text-2 hover:bg-surface hover:text-text",
  danger: "border-danger bg-raised text-danger hover:bg-danger-bg",
};

/** How a button looks, for a link that is one to the eye. */
export function buttonClass(variant: ButtonVariant = "secondary", extra?: string, square = false): string {
  return cx(
    "inline-flex h-(--control) shrink-0 items-center justify-center gap-1.5 rounded-md border text-xs font-medium whitespace-nowrap",
    "transition-colors duration-120 disabled:opacity-50",
    square ? "w-(--control)" : "px-3",
    variants[variant],
    extra,
  );
}

export interface ButtonProps extends ComponentProps<"button"> {
  variant?: ButtonVariant;
  icon?: LucideIcon;
  /** Something it started is under way: it spins, and takes no second press. */
  busy?: boolean;
}

export function Button({ variant, icon, busy = false, className, children, disabled, ...rest }: ButtonProps) {
  const Icon = busy ? LoaderCircle : icon;
  return (
    <button type="button" {...rest} disabled={disabled} aria-disabled={busy || undefined} onClick={busy ? undefined : rest.onClick} className={buttonClass(variant, className)}>
      {Icon && <Icon size={14} aria-hidden className={cx("shrink-0", busy && "animate-spin")} />}
      {children}
    </button>
  );
}
