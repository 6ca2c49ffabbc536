import type { ReactNode } from "react";
import type { LoadedTrace } from "@/shared/trace/loadTrace";
import type { TraceSource } from "@/shared/trace/source";
import type { Tree } from "@/shared/trace/view/useTree";

/** What every view of a trace gets: the same rows, the same find, the same selection. */
export interface ViewProps {
  source: TraceSource;
  loaded: LoadedTrace;
  tree: Tree;
  /** Rows that the find left out are hidden, not only pale. */
  filtering: boolean;
  /** Shows the details of the chosen row where they are not in sight. */
  onOpen: () => void;
  wide: boolean;
  /** What stands there when there are no rows. */
  empty: ReactNode;
}
