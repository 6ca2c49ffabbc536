import { formatCount, formatDuration, formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";

export function Duration({ ms, className }: { ms: number | null | undefined; className?: string }) {
  return <span className={className} title={typeof ms === "number" ? `${ms} ms` : undefined}>{formatDuration(ms)}</span>;
}

/** Dollars, from a decimal text. */
export function Money({ amount, className }: { amount: string | number | null | undefined; className?: string }) {
  return <span className={className} title={amount === null || amount === undefined ? undefined : `$${amount}`}>{formatMoney(amount)}</span>;
}

export function Tokens({ count, className }: { count: number | null | undefined; className?: string }) {
  return <span className={className} title={typeof count === "number" ? `${formatCount(count)} tokens` : undefined}>{formatTokens(count)}</span>;
}
