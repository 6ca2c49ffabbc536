import { Plus, X } from "lucide-react";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { TextField } from "@/shared/ui/TextField";
import { newPrice, type PriceDraft, type Problems } from "./draft";

/** The prices of a tier, one line for each usage key. */
export function PriceFields({ prices, per, problems, onChange }: { prices: readonly PriceDraft[]; per: string; problems: Problems; onChange: (prices: PriceDraft[]) => void }) {
  const set = (id: number, change: Partial<PriceDraft>) => onChange(prices.map((price) => (price.id === id ? { ...price, ...change } : price)));
  return (
    <div className="flex flex-col gap-2">
      {prices.map(({ id, key, amount }, index) => (
        <div key={id} className="flex items-start gap-2">
          <TextField label="Usage key" labelHidden={index > 0} className="flex-1" value={key} onChange={(next) => set(id, { key: next })} placeholder="input_cached_tokens" autoComplete="off" spellCheck={false} maxLength={200} />
          <TextField label={`$ per ${per}`} labelHidden={index > 0} className="flex-1" value={amount} onChange={(next) => set(id, { amount: next })} inputMode="decimal" placeholder="2.50" autoComplete="off" error={problems.get(id)} />
          <IconButton icon={X} label={`Remove the price of ${key || "this key"}`} className={index === 0 ? "mt-5" : undefined} disabled={prices.length === 1} onClick={() => onChange(prices.filter((price) => price.id !== id))} />
        </div>
      ))}
      <div><Button variant="ghost" icon={Plus} onClick={() => onChange([...prices, newPrice()])}>Add usage key</Button></div>
    </div>
  );
}
