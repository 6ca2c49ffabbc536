import { useState } from "react";
import { CodeField } from "@/shared/code/CodeEditor";
import { DiffView } from "@/shared/code/DiffView";
import { Section, Specimen } from "./Section";

const before = "You answer questions about {{shop}}.\nBe short.\n\nQuestion: {{question}}";
const after = "You answer questions about {{shop}} in {{language}}.\nBe short, and name your source.\n\nQuestion: {{question}}";

export function CodeSection() {
  const [prompt, setPrompt] = useState(after);
  const [config, setConfig] = useState('{\n  "model": "gpt-4.1",\n  "temperature": 0.2,\n  "stream": true\n}');
  return (
    <Section title="Code">
      <div className="grid gap-4 md:grid-cols-2">
        <CodeField label="Prompt" language="prompt" value={prompt} onChange={setPrompt} hint="Variables are written as {{name}}." minLines={6} />
        <CodeField label="Config" language="json" value={config} onChange={setConfig} minLines={6} />
        <CodeField label="Broken config" language="json" value={'{"model": '} error="This is no JSON: it ends too early." />
        <CodeField label="Text that cannot be changed" language="text" value="As it was sent." readOnly />
      </div>
      <Specimen title="DiffView"><div className="w-full"><DiffView before={before} after={after} beforeLabel="Version 1" afterLabel="Version 2" language="prompt" layout="split" /></div></Specimen>
      <Specimen title="DiffView, unified"><div className="w-full"><DiffView before={before} after={after} beforeLabel="Version 1" afterLabel="Version 2" language="prompt" layout="unified" /></div></Specimen>
    </Section>
  );
}
