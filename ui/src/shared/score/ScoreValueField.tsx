import { RadioGroup } from "@/shared/ui/Radio";
import { Select } from "@/shared/ui/Select";
import { TextArea, TextField } from "@/shared/ui/TextField";
import { type Draft, longestText, rangeOf } from "./scores";

interface ScoreValueFieldProps {
  draft: Draft;
  onChange: (value: string) => void;
  error: string | undefined;
}

const answers = [{ value: "1", label: "Yes" }, { value: "0", label: "No" }] as const;
const nothing = { value: "", label: "Choose…" };

/** The value of a score, by its type. */
export function ScoreValueField({ draft: { config, dataType, value }, onChange, error }: ScoreValueFieldProps) {
  const field = { label: "Value", value, onChange, error };
  switch (dataType) {
    case "NUMERIC":
      return <TextField {...field} inputMode="decimal" hint={config === undefined ? undefined : rangeOf(config)} />;
    case "BOOLEAN":
      return (
        <div>
          <RadioGroup label="Value" value={answers.find((answer) => answer.value === value)?.value} onChange={onChange} options={answers} />
          {error && <p role="alert" className="text-xs text-danger">{error}</p>}
        </div>
      );
    case "CATEGORICAL":
      if (config?.categories) return <Select {...field} options={[nothing, ...config.categories.map(({ label }) => ({ value: label, label }))]} />;
      return <TextField {...field} label="Category" />;
    case "CORRECTION":
      return <TextArea {...field} label="What the output should have been" rows={4} />;
    default:
      return <TextArea {...field} rows={2} maxLength={longestText} />;
  }
}
