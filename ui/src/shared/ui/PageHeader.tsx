import type { ReactNode } from "react";
import { useTitle } from "@/shared/lib/useTitle";

export interface PageHeaderProps {
  title: string;
  /** Of the tab and history, where it should say more than the heading. */
  documentTitle?: string;
  /** Behind the title: badges, figures. */
  children?: ReactNode;
  /** At the end of the line: buttons. */
  actions?: ReactNode;
}

/** The head of a page: what it is, and what can be done here. */
export function PageHeader({ title, documentTitle, children, actions }: PageHeaderProps) {
  useTitle(documentTitle ?? title);
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5">
      <h1 className="min-w-0 truncate text-lg font-semibold">{title}</h1>
      {children}
      {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
