import { ChevronsUpDown } from "lucide-react";
import { useState } from "react";
import { cx } from "@/shared/lib/classes";
import { Field, type FieldProps, inputClass } from "./Field";
import { type Option, OptionList } from "./OptionList";
import { Popover } from "./Popover";

export interface ComboboxProps extends FieldProps {
  value: string | undefined;
  onChange: (value: string) => void;
  options: readonly Option[];
  onSearch?: (text: string) => void;
  placeholder?: string;
  disabled?: boolean;
}

/** One of many, found by typing. */
export function Combobox({ value, onChange, options, onSearch, placeholder = "Choose…", disabled, ...field }: ComboboxProps) {
  const [open, setOpen] = useState(false);
  const chosen = options.find((option) => option.value === value);
  const text = chosen?.label ?? value ?? "";
  return (
    <Field {...field}>
      {(parts) => (
        <Popover
          open={open} onOpenChange={setOpen} label={field.label} className="w-72"
          trigger={
            <button {...parts} type="button" disabled={disabled} aria-labelledby={`${parts.id}-label ${parts.id}`} className={inputClass("flex items-center gap-2 text-left")}>
              {chosen?.icon}
              <span className={cx("min-w-0 flex-1 truncate", text === "" && "text-text-3")}>{text || placeholder}</span>
              <ChevronsUpDown size={14} aria-hidden className="text-text-3" />
            </button>
          }
        >
          <OptionList
            label={field.label} options={options} selected={value === undefined ? [] : [value]} onSearch={onSearch}
            onPick={(next) => {
              onChange(next);
              setOpen(false);
            }}
          />
        </Popover>
      )}
    </Field>
  );
}
