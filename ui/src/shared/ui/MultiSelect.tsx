import { ChevronsUpDown } from "lucide-react";
import { cx } from "@/shared/lib/classes";
import { Button } from "./Button";
import { Field, type FieldProps, inputClass } from "./Field";
import { type Option, OptionList } from "./OptionList";
import { Popover } from "./Popover";

export interface MultiSelectProps extends FieldProps {
  values: readonly string[];
  onChange: (values: string[]) => void;
  options: readonly Option[];
  onSearch?: (text: string) => void;
  placeholder?: string;
  disabled?: boolean;
}

/** Some of many, found by typing; the list stays open between picks. */
export function MultiSelect({ values, onChange, options, onSearch, placeholder = "Any", disabled, ...field }: MultiSelectProps) {
  const labels = values.map((value) => options.find((option) => option.value === value)?.label ?? value);
  const text = labels.length > 2 ? `${labels.slice(0, 2).join(", ")} +${labels.length - 2}` : labels.join(", ");
  const toggle = (value: string) => onChange(values.includes(value) ? values.filter((one) => one !== value) : [...values, value]);
  return (
    <Field {...field}>
      {(parts) => (
        <Popover
          label={field.label} className="w-72"
          trigger={
            <button {...parts} type="button" disabled={disabled} aria-labelledby={`${parts.id}-label ${parts.id}`} className={inputClass("flex items-center gap-2 text-left")}>
              <span className={cx("min-w-0 flex-1 truncate", text === "" && "text-text-3")}>{text || placeholder}</span>
              <ChevronsUpDown size={14} aria-hidden className="text-text-3" />
            </button>
          }
        >
          <OptionList multiple label={field.label} options={options} selected={values} onSearch={onSearch} onPick={toggle} />
          {values.length > 0 && (
            <div className="border-t border-line p-1"><Button variant="ghost" className="w-full" onClick={() => onChange([])}>Clear {values.length} chosen</Button></div>
          )}
        </Popover>
      )}
    </Field>
  );
}
