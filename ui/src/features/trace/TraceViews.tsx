import { lazy, Suspense } from "react";
import { ErrorBoundary } from "@/shared/ui/ErrorBoundary";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import type { View } from "./TraceToolbar";
import type { ViewProps } from "./views/view";

const TranscriptView = lazy(async () => ({ default: (await import("./views/TranscriptView")).TranscriptView }));
const GraphView = lazy(async () => ({ default: (await import("./views/GraphView")).GraphView }));
const LogView = lazy(async () => ({ default: (await import("./views/LogView")).LogView }));

const later = { transcript: TranscriptView, graph: GraphView, log: LogView };
export type LaterView = keyof typeof later;

export const isLater = (view: View): view is LaterView => Object.hasOwn(later, view);

/** A view whose script comes when somebody asks for it. */
export function TraceViewLater({ view, ...props }: ViewProps & { view: LaterView }) {
  const Shown = later[view];
  return (
    <ErrorBoundary resetKey={view}>
      <Suspense fallback={<div className="min-w-0 flex-1"><SkeletonRows rows={12} label="Loading the view" /></div>}>
        <Shown {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}
