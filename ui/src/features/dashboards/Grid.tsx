import { useRef } from "react";
import { useMedia } from "@/shared/lib/useMedia";
import { columns, inOrder } from "./layout";
import type { Scope, Tile } from "./model";
import { TileCard } from "./TileCard";
import { TileTools } from "./TileTools";

export interface GridProps {
  tiles: readonly Tile[];
  scope: Scope;
  open: boolean;
  dashboardId: string;
  onRange: (from: number, to: number) => void;
  /** In edit mode. */
  edit?: { onLayout: (tiles: Tile[], said: string) => void; onEdit: (tile: Tile) => void; onRemove: (tile: Tile) => void };
}

const rowHeight = 64;
const gap = 12;
/** Below this a chart says nothing; a phone scrolls instead. */
const lowestChart = 220;

/** Tiles in 12 columns, or one below the other where there is no room for that. They stand in the order in which they are read. */
export function Grid({ tiles, scope, open, dashboardId, onRange, edit }: GridProps) {
  const box = useRef<HTMLUListElement>(null);
  const narrow = useMedia("(max-width: 899px)");
  const cell = () => ({ width: ((box.current?.clientWidth ?? 1200) + gap) / columns, height: rowHeight + gap });
  return (
    <ul ref={box} aria-label="Tiles" className="grid" style={narrow ? { gap } : { gap, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`, gridAutoRows: rowHeight }}>
      {inOrder(tiles).map((tile) => {
        const full = tile.h * (rowHeight + gap) - gap;
        const small = tile.kind === "number" || tile.kind === "text";
        const height = narrow ? (small ? 0 : Math.max(lowestChart, full)) : full;
        return (
          <li key={tile.id} className="min-w-0" style={narrow ? undefined : { gridColumn: `${tile.x + 1} / span ${tile.w}`, gridRow: `${tile.y + 1} / span ${tile.h}` }}>
            <TileCard
              tile={tile} scope={scope} open={open} height={height} dashboardId={dashboardId} onRange={onRange}
              tools={edit && <TileTools tile={tile} tiles={tiles} cell={cell} onLayout={edit.onLayout} onEdit={() => edit.onEdit(tile)} onRemove={() => edit.onRemove(tile)} />}
            />
          </li>
        );
      })}
    </ul>
  );
}
