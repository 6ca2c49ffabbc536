import { Check, type LucideIcon } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";
import { Kbd } from "./Kbd";

export interface MenuProps {
  /** A button. */
  trigger: ReactNode;
  children: ReactNode;
  /** Open as soon as it is there: its button was pressed before. */
  defaultOpen?: boolean;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
}

export function Menu({ trigger, children, defaultOpen, align = "end", side = "bottom", className }: MenuProps) {
  return (
    <Radix.Root modal={false} defaultOpen={defaultOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cx("z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-auto rounded-lg border border-line bg-raised p-1 shadow-overlay", className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const item =
  "flex min-h-(--control) cursor-pointer select-none items-center gap-2 rounded-sm px-2 text-xs outline-none data-[disabled]:cursor-default data-[disabled]:opacity-50 data-[highlighted]:bg-selected";

export interface MenuItemProps {
  icon?: LucideIcon;
  keys?: string;
  danger?: boolean;
  disabled?: boolean;
  onSelect?: () => void;
  /** The child, a link, is the item. */
  asChild?: boolean;
  children: ReactNode;
}

export function MenuItem({ icon: Icon, keys, danger = false, disabled, onSelect, asChild = false, children }: MenuItemProps) {
  const className = cx(item, danger ? "text-danger" : "text-text");
  if (asChild) {
    return <Radix.Item asChild disabled={disabled} onSelect={onSelect} className={className}>{children}</Radix.Item>;
  }
  return (
    <Radix.Item disabled={disabled} onSelect={onSelect} className={className}>
      {Icon && <Icon size={14} aria-hidden className={danger ? undefined : "text-text-3"} />}
      <span className="flex-1 truncate">{children}</span>
      {keys && <Kbd keys={keys} />}
    </Radix.Item>
  );
}

export function MenuCheckItem({ checked, onChange, children }: { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode }) {
  return (
    // The menu stays: several are often ticked one after the other.
    <Radix.CheckboxItem checked={checked} onCheckedChange={onChange} onSelect={(event) => event.preventDefault()} className={cx(item, "pl-7 relative text-text")}>
      <Radix.ItemIndicator className="absolute left-2"><Check size={14} aria-hidden /></Radix.ItemIndicator>
      {children}
    </Radix.CheckboxItem>
  );
}

export interface MenuChoicesProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: readonly { value: T; label: string }[];
}

export function MenuChoices<T extends string>({ label, value, onChange, options }: MenuChoicesProps<T>) {
  return (
    <>
      <MenuLabel>{label}</MenuLabel>
      <Radix.RadioGroup aria-label={label} value={value} onValueChange={(next) => onChange(next as T)}>
        {options.map((option) => (
          <Radix.RadioItem key={option.value} value={option.value} className={cx(item, "pl-7 relative text-text")}>
            <Radix.ItemIndicator className="absolute left-2"><Check size={14} aria-hidden /></Radix.ItemIndicator>
            {option.label}
          </Radix.RadioItem>
        ))}
      </Radix.RadioGroup>
    </>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 pt-2 pb-1 text-2xs font-medium text-text-3">{children}</Radix.Label>;
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}
