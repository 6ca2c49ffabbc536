import { cx } from "@/shared/lib/classes";
import { CopyButton } from "./CopyButton";

export interface CodeBlockProps {
  code: string;
  /** What it is, such as "Python" or ".env". */
  title?: string;
  /** Long lines are broken rather than scrolled. */
  wrap?: boolean;
  className?: string;
}

/** Text to be copied as it is. */
export function CodeBlock({ code, title, wrap = false, className }: CodeBlockProps) {
  return (
    <figure className={cx("overflow-hidden rounded-md border border-line bg-surface", className)}>
      <figcaption className="flex items-center justify-between gap-2 border-b border-line py-0.5 pr-1 pl-3 text-xs text-text-2">
        <span className="truncate">{title ?? "Code"}</span>
        <CopyButton text={code} label={title === undefined ? "Copy" : `Copy ${title}`} />
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <pre tabIndex={0} className={cx("max-h-96 overflow-auto p-3 font-mono text-xs", wrap && "break-all whitespace-pre-wrap")}><code>{code}</code></pre>
    </figure>
  );
}
