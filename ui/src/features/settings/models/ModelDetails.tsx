import { exactMoney } from "@/shared/lib/exactMoney";
import { CopyButton } from "@/shared/ui/CopyButton";
import { describeCondition, groupPrices, type Model, scaleOf, type Tier } from "./definition";

/** All that a definition says: the whole pattern, and every price of every tier. */
export function ModelDetails({ model }: { model: Model }) {
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-start gap-2">
        <code className="min-w-0 font-mono text-xs break-all text-text-2">{model.matchPattern}</code>
        <CopyButton text={model.matchPattern} label="Copy pattern" />
      </div>
      <div className="flex flex-wrap gap-x-8 gap-y-3">
        {model.pricingTiers.map((tier) => <TierPrices key={tier.id} tier={tier} unit={model.unit} only={model.pricingTiers.length === 1} />)}
      </div>
    </div>
  );
}

function TierPrices({ tier, unit, only }: { tier: Tier; unit: string | null; only: boolean }) {
  const { power, per } = scaleOf(unit);
  return (
    <section aria-label={`Tier ${tier.name}`} className="flex max-w-md min-w-0 flex-col gap-1">
      <h4 className="font-medium">{tier.name} <span className="font-normal text-text-3">per {per}</span></h4>
      {!only && <p className="break-words text-text-2">{tier.isDefault ? "When no other tier applies" : `When ${tier.conditions.map(describeCondition).join(" and ")}`}</p>}
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
        {groupPrices(tier.prices).map(({ price, keys }) => (
          <div key={keys[0]} className="contents">
            <dt className="text-right font-medium">{exactMoney(price, power)}</dt>
            <dd className="min-w-0 font-mono text-2xs leading-4 break-words text-text-2">{keys.join(", ")}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
