import { formatCount } from "@/shared/lib/format";

/** How far something is that takes a while. Without a total it only counts. */
export function ProgressBar({ label, done, total }: { label: string; done: number; total?: number }) {
  const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total);
  return (
    <div className="flex flex-col gap-1 text-xs text-text-2">
      <span>{label}: {formatCount(done)}{total === undefined ? "" : ` of ${formatCount(total)}`}</span>
      <div role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={total} aria-valuenow={share === undefined ? undefined : Math.min(done, total!)} className="relative h-1.5 overflow-hidden rounded-full bg-line">
        {share === undefined ? <span className="sweep absolute inset-y-0 w-1/3 bg-accent" /> : <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />}
      </div>
    </div>
  );
}
