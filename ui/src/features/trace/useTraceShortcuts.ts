import { copyText } from "@/shared/lib/copy";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { hit } from "@/shared/trace/folds";
import type { TraceSource } from "@/shared/trace/source";
import type { TimeView } from "@/shared/trace/view/useTimeWindow";
import type { Tree } from "@/shared/trace/view/useTree";
import { useToast } from "@/shared/ui/Toast";
import { useNeighbours } from "./TraceHeader";
import { type View, views } from "./TraceToolbar";

interface Targets {
  source: TraceSource;
  tree: Tree;
  time: TimeView;
  onFind: () => void;
  onRows: () => void;
  onView: (view: View) => void;
  onTab: (tab: string) => void;
  /** Shows a tab and the form in it. */
  onWrite: (tab: string) => void;
}

const closer = 0.5;

/** Everything that can be done on the page by keys; those of the tree itself are its own. */
export function useTraceShortcuts({ source, tree, time, onFind, onRows, onView, onTab, onWrite }: Targets): void {
  const { rows, selected } = tree;
  const toast = useToast();
  const { before, after, open } = useNeighbours(source);
  const step = (steps: number) => {
    onRows();
    tree.move(steps);
  };
  const seek = (direction: 1 | -1, what: string, passes: (row: number) => boolean) => {
    if (!tree.moveTo(direction, passes)) toast({ kind: "info", title: `There is no ${what} in this trace.` });
  };
  const isHit = (row: number) => tree.marks !== undefined && (tree.marks[row]! & hit) !== 0;
  const copy = (text: string, what: string) => void copyText(text).then(() => toast({ title: `Copied the ${what}.` }));
  useShortcuts("Trace", [
    { keys: "/", label: "Find in trace", run: onFind },
    { keys: "j", label: "Next row", run: () => step(1) },
    { keys: "k", label: "Previous row", run: () => step(-1) },
    { keys: "*", label: "Open all below, or fold all", run: () => selected >= 0 && tree.toggleBelow(selected) },
    { keys: "e", label: "Next error", run: () => seek(1, "error", (row) => rows.isError(row)) },
    { keys: "shift+e", label: "Previous error", run: () => seek(-1, "error", (row) => rows.isError(row)) },
    { keys: "n", label: "Next hit", run: () => seek(1, "hit", isHit) },
    { keys: "shift+n", label: "Previous hit", run: () => seek(-1, "hit", isHit) },
    { keys: "v", label: "Follow scroll", run: () => time.follow(!time.following) },
    { keys: "0", label: "Whole trace", run: time.whole },
    { keys: "f", label: "Fit the chosen row", run: () => selected >= 0 && time.fit(selected) },
    { keys: "+", label: "Zoom in", run: () => time.zoom(closer) },
    { keys: "-", label: "Zoom out", run: () => time.zoom(1 / closer) },
    ...views.map(({ value, label }, index) => ({ keys: String(index + 1), label, run: () => onView(value) })),
    { keys: "i", label: "Input and output", run: () => onTab("io") },
    { keys: "m", label: "Metadata", run: () => onTab("metadata") },
    ...(source.shared ? [] : [
      { keys: "s", label: "Score", run: () => onWrite("scores") },
      { keys: "c", label: "Comment", run: () => onWrite("comments") },
    ]),
    { keys: "y", label: "Copy id", run: () => copy(selected >= 0 ? rows.ids.at(selected) : rows.head.id, "id") },
    { keys: "shift+y", label: "Copy link", run: () => copy(location.href, "link") },
    { keys: "shift+j", label: "Next trace of the list", run: () => open(after) },
    { keys: "shift+k", label: "Previous trace of the list", run: () => open(before) },
  ]);
}
