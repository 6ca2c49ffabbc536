import type { ReactNode } from "react";
import { useTitle } from "@/shared/lib/useTitle";
import { Mark } from "./Mark";

export interface FormPageProps {
  title: string;
  /** What it is about, below the title. */
  intro?: ReactNode;
  children: ReactNode;
}

/** A page for somebody who is not inside yet: one thing to do, and nothing around it. */
export function FormPage({ title, intro, children }: FormPageProps) {
  useTitle(title);
  return (
    // Relative, so that texts only for screen readers stay within what scrolls.
    <main className="relative flex h-full flex-col items-center overflow-auto bg-surface px-4 py-8 sm:py-16">
      <div className="flex w-full max-w-md flex-col gap-5">
        <p className="flex items-center gap-2.5 text-lg font-semibold"><Mark />Sonde</p>
        <div className="flex flex-col gap-5 rounded-lg border border-line bg-raised p-5 sm:p-6">
          <header className="flex flex-col gap-1">
            <h1 className="text-xl font-semibold">{title}</h1>
            {intro !== undefined && <div className="text-sm break-words text-text-2">{intro}</div>}
          </header>
          {children}
        </div>
      </div>
    </main>
  );
}

/** Between two ways to do the same. */
export function OrLine() {
  return <p className="flex items-center gap-3 text-xs text-text-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">or</p>;
}
