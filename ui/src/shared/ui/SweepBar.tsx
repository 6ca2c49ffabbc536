/** Two pixels that move while what is shown is being fetched anew. Its place is always taken, so nothing jumps. */
export function SweepBar({ busy }: { busy: boolean }) {
  return (
    <div className="relative h-0.5 shrink-0 overflow-hidden" role="status" aria-label={busy ? "Refreshing" : undefined}>
      {busy && <div className="sweep absolute inset-y-0 w-1/3 bg-accent" />}
    </div>
  );
}
