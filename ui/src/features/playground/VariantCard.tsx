import { Copy, Play, Save, Square, X } from "lucide-react";
import { useState } from "react";
import { CodeField } from "@/shared/code/CodeEditor";
import { MessageList } from "@/shared/prompt/MessageList";
import { variablesOf } from "@/shared/prompt/content";
import { Button } from "@/shared/ui/Button";
import { Combobox } from "@/shared/ui/Combobox";
import { IconButton } from "@/shared/ui/IconButton";
import { NumberField } from "@/shared/ui/NumberField";
import { RunView } from "./RunView";
import type { OfferedModels, Run, Variant } from "./variant";

interface VariantCardProps {
  variant: Variant;
  letter: string;
  offered: readonly OfferedModels[];
  run: Run | undefined;
  /** Why it cannot run now. */
  problem: string | undefined;
  onChange: (variant: Variant) => void;
  onRun: () => void;
  onStop: () => void;
  onCopy?: () => void;
  onRemove?: () => void;
  onSave?: () => void;
}

const separator = " · ";

/** One way of asking: messages, model and parameters, and what came of it. */
export function VariantCard({ variant, letter, offered, run, problem, onChange, onRun, onStop, onCopy, onRemove, onSave }: VariantCardProps) {
  const models = offered.flatMap(({ provider, models: names, problem: unable }) => (unable === null ? names.map((name) => ({ value: provider + separator + name, label: offered.length > 1 ? `${name}${separator}${provider}` : name })) : []));
  const choose = (value: string) => {
    const at = value.indexOf(separator);
    onChange({ ...variant, provider: value.slice(0, at), model: value.slice(at + separator.length) });
  };
  const busy = run?.state === "running";
  return (
    <section aria-label={`Variant ${letter}`} className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-raised p-3">
      <header className="flex items-end gap-2">
        <Combobox label={`Model of variant ${letter}`} className="min-w-0 flex-1" value={variant.model === "" ? undefined : variant.provider + separator + variant.model} onChange={choose} options={models} placeholder="Choose a model…" />
        {onSave !== undefined && <IconButton icon={Save} label={`Save variant ${letter} as a prompt`} onClick={onSave} />}
        {onCopy !== undefined && <IconButton icon={Copy} label={`Copy variant ${letter}`} onClick={onCopy} />}
        {onRemove !== undefined && <IconButton icon={X} label={`Remove variant ${letter}`} onClick={onRemove} />}
      </header>
      <MessageList messages={variant.messages} onChange={(messages) => onChange({ ...variant, messages })} variables={variablesOf(variant.messages)} placeholders={false} />
      <Parameters variant={variant} onChange={onChange} />
      <div className="flex items-center gap-2">
        {busy ? <Button icon={Square} onClick={onStop}>Stop</Button> : <Button variant="primary" icon={Play} disabled={problem !== undefined} onClick={onRun}>Run {letter}</Button>}
        {problem !== undefined && <span className="min-w-0 text-xs text-text-2">{problem}</span>}
      </div>
      {run !== undefined && <RunView run={run} letter={letter} />}
    </section>
  );
}

function Parameters({ variant, onChange }: { variant: Variant; onChange: (variant: Variant) => void }) {
  const [open, setOpen] = useState(variant.tools !== "" || variant.schema !== "");
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className="text-xs">
      <summary className="min-h-6 cursor-pointer py-1 text-text-2 hover:text-text">Parameters, tools and schema</summary>
      {open && (
        <div className="flex flex-col gap-3 pt-2">
          <div className="grid grid-cols-3 gap-2">
            <NumberField label="Temperature" value={variant.temperature} min={0} max={2} onChange={(temperature) => onChange({ ...variant, temperature })} />
            <NumberField label="Top p" value={variant.topP} min={0} max={1} onChange={(topP) => onChange({ ...variant, topP })} />
            <NumberField label="Max tokens" value={variant.maxTokens} min={1} onChange={(maxTokens) => onChange({ ...variant, maxTokens })} />
          </div>
          <CodeField label="Tools" language="json" value={variant.tools} onChange={(tools) => onChange({ ...variant, tools })} hint={'A list of {"name", "description", "parameters"}.'} />
          <CodeField label="Schema of the answer" language="json" value={variant.schema} onChange={(schema) => onChange({ ...variant, schema })} hint="A JSON schema that the answer follows; tools are not offered then." />
        </div>
      )}
    </details>
  );
}
