import { useMemo } from "react";
import { previewText } from "@/shared/chat/previewText";
import type { Column } from "@/shared/table/columns";
import { DataTable } from "@/shared/table/DataTable";
import { useMedia } from "@/shared/table/useMedia";
import type { ComparedItem } from "./api";
import type { Side } from "./model";
import { RunFigures } from "./RunCell";
import type { Results } from "./useResults";

const idOf = ({ itemId }: ComparedItem) => itemId;

/** Items as lines: the scores of every run, without what it put out. */
export function ItemList({ results }: { results: Results }) {
  const { pages, sides, item, setItem } = results;
  const phone = useMedia("(max-width: 639px)");
  const columns = useMemo(() => columnsOf(sides), [sides]);
  const known = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const card = useMemo(() => cardOf(sides), [sides]);
  return (
    <DataTable
      label="Items" known={known} shown={columns.map(({ id }) => ({ id, pinned: id === "item" }))} card={phone ? card : undefined} rows={pages.rows} keyOf={idOf} nameOf={idOf} total={pages.head?.total}
      open={item === "" ? undefined : item} onOpen={(row) => setItem(row.itemId)} onPeek={(row) => setItem(row.itemId)} onVisible={pages.look}
    />
  );
}

function columnsOf(sides: readonly Side[]): Column<ComparedItem>[] {
  return [
    { id: "item", header: "Item", cell: (row) => <span className="truncate font-medium" title={row.itemId}>{row.itemId}</span>, width: 180 },
    { id: "input", header: "Input", cell: (row) => <span className="truncate text-text-2">{previewText(row.runs[0]?.input ?? "")}</span>, width: 220, grows: true },
    ...sides.map((side): Column<ComparedItem> => ({ id: side.id, header: `${side.letter} · ${side.name}`, cell: (row) => <Figures row={row} side={side} />, width: 420 })),
  ];
}

function Figures({ row, side }: { row: ComparedItem; side: Side }) {
  const run = row.runs.find((one) => one.experimentId === side.id);
  return run === undefined ? <span className="text-text-3">Not run</span> : <RunFigures run={run} inLine />;
}

function cardOf(sides: readonly Side[]) {
  return { height: 44 + 30 * sides.length, column: { id: "card", header: "Item", cell: (row: ComparedItem) => <Card row={row} sides={sides} />, width: 0, grows: true } };
}

function Card({ row, sides }: { row: ComparedItem; sides: readonly Side[] }) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1 px-1">
      <span className="truncate text-sm font-medium">{row.itemId}</span>
      {sides.map((side) => <span key={side.id} className="flex min-w-0 items-center gap-1.5"><span className="w-4 shrink-0 text-2xs font-semibold text-text-2">{side.letter}</span><Figures row={row} side={side} /></span>)}
    </div>
  );
}
