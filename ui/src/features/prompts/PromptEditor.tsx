import { CodeEditor, CodeField } from "@/shared/code/CodeEditor";
import { configProblem, type PromptContent, placeholdersOf, variablesOf } from "@/shared/prompt/content";
import { MessageList } from "@/shared/prompt/MessageList";
import { Badge } from "@/shared/ui/Badge";
import type { Draft } from "./draft";

interface PromptEditorProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  readOnly: boolean;
}

/** The text or messages of a prompt, the variables in them, and its config. */
export function PromptEditor({ draft, onChange, readOnly }: PromptEditorProps) {
  const set = (content: PromptContent) => onChange({ ...draft, content });
  const variables = variablesOf(draft.content);
  const placeholders = placeholdersOf(draft.content);
  return (
    <div className="flex flex-col gap-4">
      <section aria-label="Prompt" className="flex flex-col gap-2">
        <h2 className="text-xs font-medium text-text-2">{typeof draft.content === "string" ? "Text" : "Messages"}</h2>
        {typeof draft.content === "string"
          ? <CodeEditor label="Text of the prompt" language="prompt" value={draft.content} onChange={set} readOnly={readOnly} variables={variables} minLines={10} />
          : <MessageList messages={draft.content} onChange={set} readOnly={readOnly} variables={variables} />}
        <Names title="Variables" names={variables} none="None. Write {{name}} where your application puts something in." />
        {placeholders.length > 0 && <Names title="Placeholders" names={placeholders} none="" />}
      </section>
      <CodeField label="Config" language="json" value={draft.config} onChange={(config) => onChange({ ...draft, config })} readOnly={readOnly} error={configProblem(draft.config)} hint="JSON that is fetched along with the prompt, such as model and temperature." />
    </div>
  );
}

function Names({ title, names, none }: { title: string; names: readonly string[]; none: string }) {
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-xs text-text-2">
      {title}: {names.length === 0 ? <span className="text-text-3">{none}</span> : names.map((name) => <Badge key={name} className="font-mono">{name}</Badge>)}
    </p>
  );
}
