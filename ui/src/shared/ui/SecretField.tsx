import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { Field, type FieldProps, inputClass } from "./Field";
import { IconButton } from "./IconButton";

export interface SecretFieldProps extends FieldProps, Omit<ComponentProps<"input">, "value" | "onChange" | "className" | "type" | "id"> {
  value: string;
  onChange: (value: string) => void;
}

/** A password or key: hidden until one asks to see it. */
export function SecretField({ label, labelHidden, hint, error, className, value, onChange, ...input }: SecretFieldProps) {
  const [shown, setShown] = useState(false);
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className}>
      {(parts) => (
        <span className="relative">
          <input
            spellCheck={false} autoCapitalize="none" {...input} {...parts} type={shown ? "text" : "password"} className={inputClass("pr-(--control)")}
            value={value} onChange={(event) => onChange(event.target.value)}
          />
          <IconButton icon={shown ? EyeOff : Eye} label={shown ? "Hide" : "Show"} aria-pressed={shown} className="absolute top-0 right-0" onClick={() => setShown(!shown)} />
        </span>
      )}
    </Field>
  );
}
