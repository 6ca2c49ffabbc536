import { Kbd } from "@/shared/ui/Kbd";
import { ScoreValueField } from "@/shared/score/ScoreValueField";
import { TextField } from "@/shared/ui/TextField";
import type { ScoreConfig } from "./api";
import { choicesOf, type ReviewDraft } from "./draft";

interface ConfigFieldProps {
  config: ScoreConfig;
  score: ReviewDraft["scores"][string] | undefined;
  disabled: boolean;
  error: string | undefined;
  onChange: (change: Partial<{ value: string; comment: string }>) => void;
}

/** The field of one score config. Choices have digits; whatever is typed has a field. */
export function ConfigField({ config, score, disabled, error, onChange }: ConfigFieldProps) {
  const choices = choicesOf(config);
  const value = score?.value ?? "";
  return (
    <fieldset data-config={config.id} disabled={disabled} className="flex min-w-0 flex-col gap-1.5 rounded-lg border border-line p-3 focus-within:border-line-strong">
      <legend className="px-1 text-sm font-medium">{config.name}</legend>
      {config.description !== null && config.description !== "" && <p className="text-xs text-text-2">{config.description}</p>}
      {choices.length > 0 ? <Choices config={config} choices={choices} value={value} onChange={(next) => onChange({ value: next })} /> : (
        <ScoreValueField draft={{ config, name: config.name, dataType: config.dataType, value, comment: "" }} onChange={(next) => onChange({ value: next })} error={error} />
      )}
      {choices.length > 0 && error !== undefined && <p role="alert" className="text-xs text-danger">{error}</p>}
      {(value !== "" || (score?.comment ?? "") !== "") && <TextField label={`Comment on ${config.name}`} labelHidden value={score?.comment ?? ""} onChange={(comment) => onChange({ comment })} placeholder="Why (not needed)" />}
    </fieldset>
  );
}

function Choices({ config, choices, value, onChange }: { config: ScoreConfig; choices: readonly { value: string; label: string }[]; value: string; onChange: (value: string) => void }) {
  return (
    <div className="flex flex-col">
      {choices.map((choice, index) => (
        <label key={choice.value} className="flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-1 text-sm hover:bg-surface has-checked:bg-selected pointer-coarse:min-h-11">
          <input type="radio" className="check rounded-full" name={config.id} value={choice.value} checked={choice.value === value} onChange={() => onChange(choice.value)} />
          <span className="min-w-0 flex-1 break-words">{choice.label}</span>
          {index < 9 && <span className="pointer-coarse:hidden"><Kbd keys={String(index + 1)} /></span>}
        </label>
      ))}
    </div>
  );
}
