import { useStoredNumber } from "@/shared/lib/preferences";
import { Sheet } from "@/shared/ui/Sheet";
import { Splitter } from "@/shared/ui/Splitter";
import type { Observation } from "./api";
import { PeekPanel, titleOf } from "./PeekPanel";

const initialWidth = 460;

/** Where a row is shown beside the list; over it where there is no room beside. */
export function PeekArea({ id, rows, wide, onPeek }: { id: string; rows: readonly Observation[]; wide: boolean; onPeek: (id: string | undefined) => void }) {
  const [width, setWidth] = useStoredNumber("peek-width", initialWidth);
  const index = rows.findIndex((row) => row.id === id);
  const panel = (
    <PeekPanel
      id={id} row={rows[index]} inSheet={!wide} onClose={() => onPeek(undefined)}
      onMove={(by) => {
        const next = rows[index + by];
        if (index >= 0 && next !== undefined) onPeek(next.id);
      }}
    />
  );
  if (!wide) return <Sheet open onOpenChange={() => onPeek(undefined)} title={rows[index] ? titleOf(rows[index]) : "Row"}>{panel}</Sheet>;
  return (
    <>
      <Splitter label="row" controls="peek" value={width} onChange={setWidth} min={320} max={900} initial={initialWidth} />
      <aside id="peek" aria-label="Row" className="flex min-h-0 shrink-0" style={{ width }}>{panel}</aside>
    </>
  );
}
