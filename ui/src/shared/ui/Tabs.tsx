import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";

export interface Tab<T extends string> {
  value: T;
  label: ReactNode;
  count?: number;
}

export interface TabsProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  tabs: readonly Tab<T>[];
  /** The panel of the chosen tab. */
  children: ReactNode;
  /** Beside the tabs, at the end of the line. */
  aside?: ReactNode;
  className?: string;
  panelClassName?: string;
}

export function Tabs<T extends string>({ label, value, onChange, tabs, children, aside, className, panelClassName }: TabsProps<T>) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)} className={cx("flex min-h-0 flex-col", className)}>
      <div className="flex items-center gap-2 border-b border-line pr-2">
        <Radix.List aria-label={label} className="flex min-w-0 flex-1 overflow-x-auto px-2">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-xs text-text-2 hover:text-text data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text pointer-coarse:h-11"
            >
              {tab.label}
              {tab.count !== undefined && <span className="text-text-3">{tab.count}</span>}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {aside}
      </div>
      <Radix.Content key={value} value={value} className={cx("min-h-0 flex-1 overflow-auto", panelClassName)}>{children}</Radix.Content>
    </Radix.Root>
  );
}
