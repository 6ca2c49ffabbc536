import { tokenColor } from "@/shared/lib/theme";
import { typeLook } from "@/shared/ui/TypeIcon";
import type { Density } from "../density";

const errorHeight = 3;
export const columnWidth = 3;

/** Draws how many rows of each type run in each column, and where errors are. */
export function drawDensity(canvas: HTMLCanvasElement, density: Density, types: readonly string[], width: number, height: number): void {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const paint = canvas.getContext("2d");
  if (paint === null) return;
  paint.scale(ratio, ratio);
  const counts = density.counts();
  const { columns } = density;
  let most = 1;
  for (let column = 0; column < columns; column++) {
    let sum = 0;
    for (let type = 0; type < types.length; type++) sum += counts[type * columns + column]!;
    most = Math.max(most, sum);
  }
  const room = height - errorHeight - 3;
  const tops = new Float64Array(columns).fill(height);
  types.forEach((type, code) => {
    paint.fillStyle = tokenColor(typeLook(type).token);
    for (let column = 0; column < columns; column++) {
      const tall = (counts[code * columns + column]! / most) * room;
      if (tall === 0) continue;
      tops[column]! -= tall;
      paint.fillRect(column * columnWidth, tops[column]!, columnWidth - 1, tall);
    }
  });
  paint.fillStyle = tokenColor("danger");
  for (let column = 0; column < columns; column++) {
    if (density.hasError(column)) paint.fillRect(column * columnWidth, 0, columnWidth, errorHeight);
  }
}
