import { useMemo } from "react";
import { formatCount } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { drawable, type GraphNode, graphOf, type Grouping, labelOf, mostNodes } from "@/shared/trace/graph";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { GraphCanvas } from "./GraphCanvas";
import { GraphTable } from "./GraphTable";
import { useLayout } from "./useLayout";
import type { ViewProps } from "./view";

const forms = [
  { value: "name", label: "By name" },
  { value: "calls", label: "Every call" },
  { value: "table", label: "Table" },
] as const;
type Form = (typeof forms)[number]["value"];

const counted: Record<Grouping, string> = { call: "calls", name: "names", pattern: "names, numbers in them left out", type: "types, as there are too many names" };

/** What calls what: rows of a name as one, or each on its own; as a drawing or, with the same figures, as a table. */
export function GraphView({ tree, onOpen, empty }: ViewProps) {
  const { rows, shown, selected } = tree;
  const [asked, setAsked] = useUrlState("graph", "name");
  const tooMany = shown.length > mostNodes;
  const form: Form = forms.find(({ value }) => value === asked && !(value === "calls" && tooMany))?.value ?? "name";
  const names = useMemo(() => drawable(rows, shown), [rows, shown]);
  const by: Grouping = form === "calls" ? "call" : names;
  const graph = useMemo(() => graphOf(rows, shown, by), [rows, shown, by]);
  const { data: laid, error, refetch } = useLayout(graph);

  const isOf = (node: GraphNode, row: number) => (by === "call" ? row === node.row : rows.typeOf(row) === node.type && labelOf(rows, row, by) === node.name);
  const chosen = selected < 0 ? -1 : graph.nodes.findIndex((node) => isOf(node, selected));
  // Asking again goes through the calls one by one.
  const choose = (place: number) => {
    const node = graph.nodes[place]!;
    if (place !== chosen || !tree.moveTo(1, (row) => isOf(node, row))) tree.goTo(node.row);
    onOpen();
  };
  if (shown.length === 0) return <div className="min-w-0 flex-1">{empty}</div>;
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1 text-2xs text-text-2">
        <SegmentedControl label="Form of the graph" value={form} onChange={setAsked} segments={tooMany ? forms.filter(({ value }) => value !== "calls") : forms} />
        <span>{formatCount(graph.nodes.length)} {counted[by]}{tooMany && `; ${formatCount(shown.length)} calls are too many to be drawn one by one`}</span>
      </div>
      {form === "table" && <GraphTable graph={graph} chosen={chosen} onChoose={choose} />}
      {form !== "table" && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {form !== "table" && error === null && laid === undefined && <SkeletonRows rows={6} label="Laying out the graph" />}
      {form !== "table" && laid !== undefined && <GraphCanvas key={form} graph={graph} laid={laid} chosen={chosen} onChoose={choose} />}
    </div>
  );
}
