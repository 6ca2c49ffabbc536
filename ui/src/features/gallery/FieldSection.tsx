import { useState } from "react";
import { Combobox } from "@/shared/ui/Combobox";
import { CopyField } from "@/shared/ui/CopyField";
import { MultiSelect } from "@/shared/ui/MultiSelect";
import { NumberField } from "@/shared/ui/NumberField";
import { SecretField } from "@/shared/ui/SecretField";
import { Select } from "@/shared/ui/Select";
import { TextArea, TextField } from "@/shared/ui/TextField";
import { typeLooks, TypeIcon } from "@/shared/ui/TypeIcon";
import { Section } from "./Section";

const types = Object.keys(typeLooks).map((type, index) => ({ value: type, label: type, count: 1000 * (10 - index), icon: <TypeIcon type={type} named={false} /> }));
const ranges = [{ value: "1h", label: "Last hour" }, { value: "24h", label: "Last 24 hours" }, { value: "7d", label: "Last 7 days" }] as const;

export function FieldSection() {
  const [text, setText] = useState("checkout-assistant");
  const [days, setDays] = useState<number | null>(30);
  const [range, setRange] = useState<(typeof ranges)[number]["value"]>("24h");
  const [type, setType] = useState<string>();
  const [chosen, setChosen] = useState<string[]>(["TOOL", "AGENT", "CHAIN"]);
  return (
    <Section title="Fields">
      <div className="grid gap-4 sm:grid-cols-2 md:grid-cols-3">
        <TextField label="Name" value={text} onChange={setText} hint="Shown in lists." />
        <TextField label="Email" value="ada@" onChange={() => undefined} error="An address looks like ada@example.com." />
        <TextField label="Disabled" value="" placeholder="Nothing to type" disabled onChange={() => undefined} />
        <NumberField label="Retention" value={days} onChange={setDays} min={1} max={365} unit="days" />
        <SecretField label="Password" value="correct horse" onChange={() => undefined} autoComplete="off" />
        <CopyField label="Public key" value="pk-lf-4f1f7ae8-6d0a-4f0e" />
        <Select label="Time range" value={range} onChange={setRange} options={ranges} />
        <Combobox label="Type" value={type} onChange={setType} options={types} />
        <MultiSelect label="Types" values={chosen} onChange={setChosen} options={types} />
        <TextArea label="Comment" value="" onChange={() => undefined} placeholder="What did you notice?" className="sm:col-span-2 md:col-span-3" />
      </div>
    </Section>
  );
}
