import { RadioGroup } from "@/shared/ui/Radio";

export type Subject = "trace" | "chosen";

interface SubjectChoiceProps {
  value: Subject;
  onChange: (value: Subject) => void;
  trace: string;
  /** The name of the chosen observation; undefined when none is chosen, and then there is nothing to choose here. */
  chosen: string | undefined;
}

/** The whole trace or the observation that is chosen. */
export function SubjectChoice({ value, onChange, trace, chosen }: SubjectChoiceProps) {
  if (chosen === undefined) return null;
  return <RadioGroup label="What to add" value={value} onChange={onChange} options={[{ value: "chosen", label: `The observation ${chosen}` }, { value: "trace", label: trace }]} />;
}
