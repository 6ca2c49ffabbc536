import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { type ButtonVariant, buttonClass } from "./Button";
import { Tooltip } from "./Tooltip";

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon;
  /** What it does: its name, and what the tooltip says. */
  label: string;
  keys?: string;
  variant?: ButtonVariant;
  iconClassName?: string;
}

export function IconButton({ icon: Icon, label, keys, variant = "ghost", className, iconClassName, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label} keys={keys}>
      <button type="button" aria-label={label} {...rest} className={buttonClass(variant, className, true)}>
        <Icon size={16} aria-hidden className={iconClassName} />
      </button>
    </Tooltip>
  );
}
