import { lazy, Suspense } from "react";
import { useMedia } from "@/shared/lib/useMedia";
import { Skeleton } from "@/shared/ui/Skeleton";
import type { CodeLanguage } from "./language";

const DiffBox = lazy(() => import("./DiffBox"));

export interface DiffViewProps {
  before: string;
  after: string;
  language: CodeLanguage;
  /** What the two sides are, such as "Version 3". */
  beforeLabel?: string;
  afterLabel?: string;
  /** Without one: beside each other where there is room, else one below the other. */
  layout?: "split" | "unified";
}

/** What differs between two texts. Its lines are read by the arrow keys; F7 and Shift+F7 go from change to change, Tab leaves it. */
export function DiffView({ beforeLabel = "Before", afterLabel = "After", layout, ...texts }: DiffViewProps) {
  const wide = useMedia("(min-width: 900px)");
  const split = layout === undefined ? wide : layout === "split";
  return (
    <div className="min-w-0 overflow-hidden rounded-md border border-line bg-raised">
      <Suspense fallback={<div className="p-2"><Skeleton className="h-24" /></div>}>
        <DiffBox {...texts} beforeLabel={beforeLabel} afterLabel={afterLabel} split={split} />
      </Suspense>
    </div>
  );
}
