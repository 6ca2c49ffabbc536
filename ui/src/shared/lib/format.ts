/** What stands where there is no value. */
export const none = "–";

const minus = "−";

const signed = (value: number, text: (size: number) => string) => (value < 0 ? minus : "") + text(Math.abs(value));
const two = (value: number) => String(value).padStart(2, "0");

/** Milliseconds, three figures or so: "420 µs", "7.2 ms", "1.24 s", "3m 04s", "2h 05m", "3d 04h". */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return none;
  return signed(ms, durationOf);
}

function durationOf(ms: number): string {
  if (ms === 0) return "0 s";
  if (ms < 0.9995) return `${Math.round(ms * 1000)} µs`;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** A whole number with separators: "12,345". */
export function formatCount(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return none;
  return signed(value, (size) => group(String(Math.round(size))));
}

/** A count with its word: "1 row", "2,080 rows". */
export function formatNumberOf(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;
}

const group = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

const thousands = ["", "k", "M", "B", "T"];

/** A number in few characters: "999", "1.4k", "10k", "6.1M". */
export function formatTokens(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return none;
  return signed(value, (size) => {
    let rest = size;
    let power = 0;
    while (rest >= 999.5 && power < thousands.length - 1) {
      rest /= 1000;
      power++;
    }
    const text = power === 0 || rest >= 9.95 ? String(Math.round(rest)) : rest.toFixed(1);
    return group(text) + thousands[power];
  });
}

/** A size: "512 B", "1.5 KB", "20 MB". */
export function formatBytes(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return none;
  let rest = value;
  let power = 0;
  while (rest >= 999.5 && power < 4) {
    rest /= 1000;
    power++;
  }
  const text = power === 0 || rest >= 9.95 ? String(Math.round(rest)) : rest.toFixed(1);
  return `${text} ${["B", "KB", "MB", "GB", "TB"][power]}`;
}

/** A share between 0 and 1: "12.3 %". */
export function formatPercent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return none;
  const percent = share * 100;
  return signed(percent, (size) => `${size === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} %`);
}
