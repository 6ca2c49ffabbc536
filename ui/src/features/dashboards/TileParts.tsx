import type { ReactNode } from "react";
import type { Condition } from "@/shared/filter/condition";
import { formatCount } from "@/shared/lib/format";
import { mostRows, type Tile, type TileQuery } from "./model";
import type { TileAnswer } from "./useTile";

export interface TileChartProps {
  tile: Tile;
  query: TileQuery;
  title: string;
  answer: TileAnswer;
  open: boolean;
  /** Of the chart itself, in pixels. */
  height: number;
  actions: ReactNode;
  /** Lists the rows behind a point; undefined where no list has them. */
  openRows: ((more: readonly (Condition | undefined)[], time?: { from: number; to: number }) => void) | undefined;
  onRange: (from: number, to: number) => void;
  headOf: (field: string) => string;
}

/** No value in this time: said, not drawn as zero. */
export function Nothing({ title, actions }: { title: string; actions: ReactNode }) {
  return (
    <>
      <div className="flex items-center gap-2"><h2 className="min-w-0 flex-1 truncate text-sm font-medium">{title}</h2>{actions}</div>
      <p className="py-6 text-center text-xs text-text-3">Nothing in this time.</p>
    </>
  );
}

/** How many of how many are shown, in words; undefined when all are. */
export const shownOf = (shown: number, all: number, word: string) => (shown < all ? `${formatCount(shown)} of ${formatCount(all)}${all === mostRows ? " or more" : ""} ${word}` : undefined);
