import { cx } from "@/shared/lib/classes";
import { formatCount, formatDuration, none } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import type { Graph } from "@/shared/trace/graph";
import { TypeIcon } from "@/shared/ui/TypeIcon";

const figure = "px-3 py-1 text-right whitespace-nowrap";

/** The graph in words, the longest first. */
export function GraphTable({ graph, chosen, onChoose }: { graph: Graph; chosen: number; onChoose: (place: number) => void }) {
  const callers = (place: number) => graph.edges.filter(({ to }) => to === place).map(({ from, calls }) => `${graph.nodes[from]!.name}${calls > 1 ? ` (${formatCount(calls)}×)` : ""}`);
  const places = graph.nodes.map((_, place) => place).toSorted((a, b) => (graph.nodes[b]!.time ?? 0) - (graph.nodes[a]!.time ?? 0));
  return (
    // What scrolls has to be reached by keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label="Graph as a table" tabIndex={0} className="min-h-0 flex-1 overflow-auto">
      <table className="w-full border-collapse text-xs">
        <thead className="sticky top-0 bg-bg text-2xs text-text-2">
          <tr className="border-b border-line">
            <th scope="col" className="px-3 py-1 text-left font-medium">Name</th>
            <th scope="col" className={cx(figure, "font-medium")}>Calls</th>
            <th scope="col" className={cx(figure, "font-medium")}>Time</th>
            <th scope="col" className={cx(figure, "font-medium")}>Cost</th>
            <th scope="col" className={cx(figure, "font-medium")}>Errors</th>
            <th scope="col" className="px-3 py-1 text-left font-medium">Called by</th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => {
            const { name, type, calls, time, cost, errors, row } = graph.nodes[place]!;
            return (
              <tr key={row} className={cx("border-b border-line", place === chosen && "bg-selected")}>
                <th scope="row" className="px-3 py-1 text-left font-medium">
                  <button type="button" className="flex min-h-6 items-center gap-1.5 text-left hover:text-accent hover:underline pointer-coarse:min-h-11" onClick={() => onChoose(place)}>
                    <TypeIcon type={type} />
                    {name}
                  </button>
                </th>
                <td className={figure}>{formatCount(calls)}</td>
                <td className={figure}>{time === null ? none : formatDuration(time)}</td>
                <td className={figure}>{cost === null ? none : formatMoney(cost)}</td>
                <td className={cx(figure, errors > 0 && "text-danger")}>{formatCount(errors)}</td>
                <td className="px-3 py-1 text-text-2">{callers(place).join(", ") || none}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
