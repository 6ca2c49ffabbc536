import { Plus, Trash2, X } from "lucide-react";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { operators } from "./definition";
import { type ConditionDraft, newCondition, type Problems, type TierDraft } from "./draft";
import { PriceFields } from "./PriceFields";

interface TierFieldsProps {
  tier: TierDraft;
  /** It holds when no other does; it has no conditions, and stays. */
  isDefault: boolean;
  /** There are others: only then does its name matter. */
  several: boolean;
  per: string;
  problems: Problems;
  onChange: (tier: TierDraft) => void;
  onRemove: () => void;
}

/** One set of prices, and when it holds. */
export function TierFields({ tier, isDefault, several, per, problems, onChange, onRemove }: TierFieldsProps) {
  const setConditions = (conditions: ConditionDraft[]) => onChange({ ...tier, conditions });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
      <legend className="px-1 text-sm font-medium">{several ? (isDefault ? "Default tier" : `Tier ${tier.name || "without a name"}`) : "Prices"}</legend>
      {several && (
        <div className="flex items-start gap-2">
          <TextField label="Tier name" className="flex-1" value={tier.name} onChange={(name) => onChange({ ...tier, name })} maxLength={100} error={problems.get(tier.id)} />
          {!isDefault && <IconButton icon={Trash2} label={`Remove tier ${tier.name}`} className="mt-5" onClick={onRemove} />}
        </div>
      )}
      {!isDefault && (
        <div className="flex flex-col gap-2">
          <h4 className="text-xs font-medium text-text-2">It holds when all of this is so</h4>
          {tier.conditions.map((condition) => (
            <ConditionFields
              key={condition.id} condition={condition} error={problems.get(condition.id)}
              onChange={(next) => setConditions(tier.conditions.map((other) => (other.id === next.id ? next : other)))}
              onRemove={() => setConditions(tier.conditions.filter(({ id }) => id !== condition.id))}
            />
          ))}
          <div><Button variant="ghost" icon={Plus} onClick={() => setConditions([...tier.conditions, newCondition()])}>Add condition</Button></div>
        </div>
      )}
      <PriceFields prices={tier.prices} per={per} problems={problems} onChange={(prices) => onChange({ ...tier, prices })} />
    </fieldset>
  );
}

const kinds = [
  { value: "usage", label: "Sum of usage keys" },
  { value: "model_parameters", label: "Model parameter" },
  { value: "metadata", label: "Metadata" },
] as const;

function ConditionFields({ condition, error, onChange, onRemove }: { condition: ConditionDraft; error: string | undefined; onChange: (condition: ConditionDraft) => void; onRemove: () => void }) {
  const { kind, key, operator, value } = condition;
  const usage = kind === "usage";
  const setKind = (next: ConditionDraft["kind"]) => onChange({ ...condition, kind: next, key: "", value: "" });
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Select label="What is looked at" labelHidden className="w-40" value={kind} onChange={setKind} options={kinds} />
      <TextField label={usage ? "Pattern of usage keys" : "Key"} labelHidden className="min-w-32 flex-1" value={key} onChange={(next) => onChange({ ...condition, key: next })} placeholder={usage ? "^input" : "service_tier"} autoComplete="off" spellCheck={false} error={error} />
      {usage && <Select label="Comparison" labelHidden className="w-32" value={operator} onChange={(next) => onChange({ ...condition, operator: next })} options={operators} />}
      <TextField label={usage ? "Number" : "Values, with commas between them"} labelHidden className="min-w-24 flex-1" value={value} onChange={(next) => onChange({ ...condition, value: next })} placeholder={usage ? "200000" : "priority, fast"} inputMode={usage ? "decimal" : undefined} autoComplete="off" />
      <IconButton icon={X} label="Remove this condition" onClick={onRemove} />
    </div>
  );
}
