import { Move, MoveDiagonal2, Pencil, Trash2 } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { IconButton } from "@/shared/ui/IconButton";
import { move, resize } from "./layout";
import type { Tile } from "./model";

export interface TileToolsProps {
  tile: Tile;
  tiles: readonly Tile[];
  /** A column and a row with the room behind it, in pixels. */
  cell: () => { width: number; height: number };
  onLayout: (tiles: Tile[], said: string) => void;
  onEdit: () => void;
  onRemove: () => void;
}

const steps: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Moves, sizes, changes and removes a tile: by dragging, or by the arrow keys on the same two buttons. */
export function TileTools({ tile, tiles, cell, onLayout, onEdit, onRemove }: TileToolsProps) {
  const name = tile.title || "the tile";
  const drag = useRef<{ x: number; y: number; tiles: readonly Tile[] } | null>(null);
  const apply = (change: typeof move, from: readonly Tile[], dx: number, dy: number) => {
    const next = change(from, tile.id, dx, dy);
    const now = next.find(({ id }) => id === tile.id)!;
    onLayout(next, change === move ? `${name} is at column ${now.x + 1}, row ${now.y + 1}` : `${name} is ${now.w} columns wide and ${now.h} rows high`);
  };
  const handle = (change: typeof move) => ({
    onKeyDown: (event: KeyboardEvent) => {
      const step = steps[event.key];
      if (step === undefined) return;
      event.preventDefault();
      apply(change, tiles, ...step);
    },
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { x: event.clientX, y: event.clientY, tiles };
    },
    onPointerMove: (event: PointerEvent) => {
      if (drag.current === null) return;
      const { width, height } = cell();
      apply(change, drag.current.tiles, Math.round((event.clientX - drag.current.x) / width), Math.round((event.clientY - drag.current.y) / height));
    },
    onPointerUp: () => (drag.current = null),
    onPointerCancel: () => (drag.current = null),
  });
  return (
    <span className="flex shrink-0 items-center">
      <IconButton icon={Move} label={`Move ${name}: drag, or arrow keys`} className="cursor-grab touch-none max-[899px]:hidden" {...handle(move)} />
      <IconButton icon={MoveDiagonal2} label={`Size of ${name}: drag, or arrow keys`} className="cursor-nwse-resize touch-none max-[899px]:hidden" {...handle(resize)} />
      <IconButton icon={Pencil} label={`Change ${name}`} onClick={onEdit} />
      <IconButton icon={Trash2} label={`Remove ${name}`} onClick={onRemove} />
    </span>
  );
}
