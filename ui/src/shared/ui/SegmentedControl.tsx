import type { LucideIcon } from "lucide-react";
import { useId } from "react";
import { cx } from "@/shared/lib/classes";

export interface Segment<T extends string> {
  value: T;
  label: string;
  icon?: LucideIcon;
}

export interface SegmentedControlProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  segments: readonly Segment<T>[];
  /** Icons alone; labels stay for those who do not see them. */
  iconsOnly?: boolean;
  className?: string;
}

/** One of a few, all in sight. Radio buttons below, so the browser brings the keys. */
export function SegmentedControl<T extends string>({ label, value, onChange, segments, iconsOnly = false, className }: SegmentedControlProps<T>) {
  const name = useId();
  return (
    <fieldset className={cx("inline-flex h-(--control) min-w-0 shrink-0 rounded-md border border-line-strong bg-raised", className)}>
      <legend className="sr-only">{label}</legend>
      {segments.map(({ value: each, label: text, icon: Icon }) => (
        <label
          key={each}
          title={iconsOnly ? text : undefined}
          className={cx(
            "relative flex cursor-pointer items-center gap-1.5 border-l border-line-strong px-2.5 text-xs whitespace-nowrap first-of-type:rounded-l-[5px] first-of-type:border-l-0 last-of-type:rounded-r-[5px]",
            "has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus",
            each === value ? "bg-selected font-medium text-text" : "text-text-2 hover:bg-surface hover:text-text",
          )}
        >
          <input type="radio" className="absolute inset-0 cursor-pointer opacity-0" name={name} value={each} checked={each === value} onChange={() => onChange(each)} />
          {Icon && <Icon size={14} aria-hidden />}
          <span className={iconsOnly ? "sr-only" : undefined}>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
