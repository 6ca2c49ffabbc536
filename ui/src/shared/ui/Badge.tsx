import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";

export type BadgeTone = "neutral" | "accent" | "ok" | "warn" | "danger";

const tones: Record<BadgeTone, string> = {
  neutral: "border-line bg-surface text-text-2",
  accent: "border-accent text-accent",
  ok: "border-transparent bg-ok-bg text-ok",
  warn: "border-transparent bg-warn-bg text-warn",
  danger: "border-transparent bg-danger-bg text-danger",
};

export function Badge({ tone = "neutral", className, children }: { tone?: BadgeTone; className?: string; children: ReactNode }) {
  return (
    <span className={cx("inline-flex h-5 max-w-full items-center gap-1 truncate rounded-sm border px-1.5 text-2xs font-medium", tones[tone], className)}>
      {children}
    </span>
  );
}
