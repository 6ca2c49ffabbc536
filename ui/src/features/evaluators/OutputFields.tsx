import { NumberField } from "@/shared/ui/NumberField";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { Switch } from "@/shared/ui/Switch";
import { TextArea, TextField } from "@/shared/ui/TextField";
import type { Output } from "./draft";

const types = [{ value: "NUMERIC", label: "Number" }, { value: "CATEGORICAL", label: "Category" }, { value: "BOOLEAN", label: "Yes or no" }] as const;

/** What score a judge gives: its type, its bounds or categories, and what the model is told about it. */
export function OutputFields({ output, onChange, readOnly }: { output: Output; onChange: (output: Output) => void; readOnly: boolean }) {
  const set = (patch: Partial<Output>) => onChange({ ...output, ...patch });
  return (
    <fieldset className="flex flex-col gap-3" disabled={readOnly}>
      <legend className="pb-1 text-xs font-medium text-text-2">Score</legend>
      <SegmentedControl label="Type of the score" value={output.dataType} onChange={(dataType) => set({ dataType })} segments={types} className="self-start" />
      {output.dataType === "NUMERIC" && (
        <div className="grid max-w-96 grid-cols-2 gap-3">
          <NumberField label="Lowest" value={output.minValue ?? null} onChange={(minValue) => set({ minValue })} hint="Empty: no bound" />
          <NumberField label="Highest" value={output.maxValue ?? null} onChange={(maxValue) => set({ maxValue })} hint="Empty: no bound" />
        </div>
      )}
      {output.dataType === "CATEGORICAL" && (
        <>
          <TextArea label="Categories" rows={4} className="max-w-96" value={(output.categories ?? []).join("\n")} onChange={(text) => set({ categories: linesOf(text) })} hint="One on each line." />
          <Switch checked={output.shouldAllowMultipleMatches ?? false} onChange={(shouldAllowMultipleMatches) => set({ shouldAllowMultipleMatches })}>Several may fit</Switch>
        </>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="What the score means" value={output.scoreValueInstructions ?? ""} onChange={(scoreValueInstructions) => set({ scoreValueInstructions })} placeholder="1 is fully correct" maxLength={2000} />
        <TextField label="How to reason" value={output.scoreReasoningInstructions ?? ""} onChange={(scoreReasoningInstructions) => set({ scoreReasoningInstructions })} placeholder="One or two sentences" maxLength={2000} />
      </div>
    </fieldset>
  );
}

/** Lines as they are typed: an empty last one is where the next category goes. */
function linesOf(text: string): string[] {
  return text.split("\n").filter((line, index, all) => line.trim() !== "" || index === all.length - 1);
}
