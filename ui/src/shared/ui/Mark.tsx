/** The sign of Sonde: a probe that hangs in what it measures. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" className="rounded-md bg-accent text-on-accent" aria-hidden fill="none" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round">
      <path d="M16 4v17" />
      <circle cx="16" cy="24.5" r="3.5" fill="currentColor" stroke="none" />
      <path d="M9 12.5c1.8-2 4.2-3 7-3s5.2 1 7 3" opacity=".6" />
    </svg>
  );
}
