import { cx } from "@/shared/lib/classes";

export interface SparklineProps {
  /** Null is a gap. */
  values: readonly (number | null)[];
  /** What it shows, in words. */
  label: string;
  className?: string;
}

const width = 100;
const height = 24;

export function Sparkline({ values, label, className }: SparklineProps) {
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" className={cx("h-6 w-full text-accent", className)}>
      <path d={linePath(values)} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" strokeLinejoin="round" strokeLinecap="round" />
    </svg>
  );
}

/** A gap lifts the pen; a value between two gaps is a dot. */
export function linePath(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  let down = false;
  return values
    .map((value, index) => {
      if (value === null) {
        down = false;
        return "";
      }
      const x = values.length > 1 ? (index / (values.length - 1)) * width : width / 2;
      const y = height - 2 - ((value - low) / span) * (height - 4);
      const alone = !down && (values[index + 1] ?? null) === null;
      const move = `${down ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}${alone ? "h0.1" : ""}`;
      down = true;
      return move;
    })
    .join("");
}
