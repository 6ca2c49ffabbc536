import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";
import { IconButton } from "./IconButton";

const tones = {
  info: { box: "bg-selected", icon: <Info size={14} aria-hidden className="shrink-0 text-accent" /> },
  warn: { box: "bg-warn-bg", icon: <TriangleAlert size={14} aria-hidden className="shrink-0 text-warn" /> },
  danger: { box: "bg-danger-bg", icon: <CircleAlert size={14} aria-hidden className="shrink-0 text-danger" /> },
};

export interface BannerProps {
  tone?: keyof typeof tones;
  children: ReactNode;
  /** Buttons at the end. */
  actions?: ReactNode;
  onClose?: () => void;
  className?: string;
}

/** Something to know about what is shown: that it is cut, sampled or old. */
export function Banner({ tone = "info", children, actions, onClose, className }: BannerProps) {
  return (
    <div role={tone === "danger" ? "alert" : "status"} className={cx("flex min-h-8 items-center gap-2 rounded-md px-3 py-1 text-sm text-text", tones[tone].box, className)}>
      {tones[tone].icon}
      <div className="min-w-0 flex-1 break-words">{children}</div>
      {actions}
      {onClose !== undefined && <IconButton icon={X} label="Dismiss" onClick={onClose} />}
    </div>
  );
}
