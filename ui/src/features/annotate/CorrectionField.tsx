import { Pencil, X } from "lucide-react";
import { ChangedText } from "@/shared/diff/ChangedText";
import { Button } from "@/shared/ui/Button";
import { TextArea } from "@/shared/ui/TextField";

interface CorrectionFieldProps {
  /** What came out; undefined while it is not known. */
  output: string | undefined;
  correction: string | null;
  disabled: boolean;
  onChange: (correction: string | null) => void;
}

/** What the output should have been, beside what it was. */
export function CorrectionField({ output, correction, disabled, onChange }: CorrectionFieldProps) {
  if (correction === null) {
    return <div><Button icon={Pencil} disabled={disabled || output === undefined} onClick={() => onChange(output ?? "")}>Correct the output</Button></div>;
  }
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <TextArea label="What the output should have been" rows={6} value={correction} disabled={disabled} onChange={onChange} maxLength={200_000} />
      {output !== undefined && output !== correction && <ChangedText label="Changes to the output" before={output} after={correction} />}
      <div><Button variant="ghost" icon={X} disabled={disabled} onClick={() => onChange(null)}>No correction</Button></div>
    </div>
  );
}
