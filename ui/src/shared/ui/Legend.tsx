export interface LegendEntry {
  label: string;
  /** A token, such as "chain". */
  color: string;
  value?: string;
}

export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-text-2">
      {entries.map((entry) => (
        <li key={entry.label} className="flex min-w-0 items-center gap-1.5">
          <span aria-hidden className="size-2.5 shrink-0 rounded-xs forced-color-adjust-none" style={{ background: `var(--${entry.color})` }} />
          <span className="truncate">{entry.label}</span>
          {entry.value !== undefined && <span className="text-text">{entry.value}</span>}
        </li>
      ))}
    </ul>
  );
}
