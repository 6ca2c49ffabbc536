import { ArrowDown, ArrowUp, MessageSquarePlus, Trash2 } from "lucide-react";
import { CodeEditor } from "@/shared/code/CodeEditor";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { isPlaceholder, type PromptMessage } from "./content";

const kinds = ["system", "user", "assistant", "placeholder"] as const;
type Kind = (typeof kinds)[number];

export interface MessageListProps {
  messages: readonly PromptMessage[];
  onChange: (messages: PromptMessage[]) => void;
  /** Names that are offered after "{{". */
  variables?: readonly string[];
  readOnly?: boolean;
  /** Beside the roles; a run has none. */
  placeholders?: boolean;
}

/** The messages of a chat, each in an editor of its own. */
export function MessageList({ messages, onChange, variables, readOnly = false, placeholders = true }: MessageListProps) {
  const replace = (index: number, next: PromptMessage) => onChange(messages.map((message, at) => (at === index ? next : message)));
  const move = (index: number, by: number) => {
    const moved = messages.toSpliced(index, 1);
    const one = messages[index];
    if (one !== undefined) onChange(moved.toSpliced(index + by, 0, one));
  };
  return (
    <div className="flex flex-col gap-3">
      <ol aria-label="Messages" className="flex flex-col gap-3">
        {/* oxlint-disable-next-line react/no-array-index-key -- messages have no name but their place */}
        {messages.map((message, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the same
          <li key={index} className="flex min-w-0 flex-col gap-1.5">
            <div className="flex items-center gap-1">
              <KindSelect message={message} index={index} placeholders={placeholders} readOnly={readOnly} onChange={(next) => replace(index, next)} />
              {!readOnly && (
                <span className="ml-auto flex">
                  <IconButton icon={ArrowUp} label={`Move message ${index + 1} up`} disabled={index === 0} onClick={() => move(index, -1)} />
                  <IconButton icon={ArrowDown} label={`Move message ${index + 1} down`} disabled={index === messages.length - 1} onClick={() => move(index, 1)} />
                  <IconButton icon={Trash2} label={`Remove message ${index + 1}`} disabled={messages.length === 1} onClick={() => onChange(messages.toSpliced(index, 1))} />
                </span>
              )}
            </div>
            {isPlaceholder(message)
              ? <TextField label={`Name of placeholder ${index + 1}`} labelHidden value={message.name} disabled={readOnly} onChange={(name) => replace(index, { type: "placeholder", name })} placeholder="history" />
              : <CodeEditor label={`Message ${index + 1}, ${message.role}`} language="prompt" value={message.content} readOnly={readOnly} variables={variables} onChange={(content) => replace(index, { role: message.role, content })} />}
          </li>
        ))}
      </ol>
      {!readOnly && <Button icon={MessageSquarePlus} className="self-start" onClick={() => onChange([...messages, { role: nextRole(messages), content: "" }])}>Add message</Button>}
    </div>
  );
}

function KindSelect({ message, index, placeholders, readOnly, onChange }: { message: PromptMessage; index: number; placeholders: boolean; readOnly: boolean; onChange: (next: PromptMessage) => void }) {
  const kind = isPlaceholder(message) ? "placeholder" : message.role;
  // Prompts may come with roles of their own, such as "developer".
  const known = [...new Set([...kinds, kind])].filter((each) => placeholders || each !== "placeholder");
  const change = (next: string) => {
    if (next === "placeholder") onChange({ type: "placeholder", name: "history" });
    else onChange({ role: next, content: isPlaceholder(message) ? "" : message.content });
  };
  return <Select label={`Role of message ${index + 1}`} labelHidden className="w-32" value={kind as Kind} disabled={readOnly} onChange={change} options={known.map((each) => ({ value: each as Kind, label: each }))} />;
}

function nextRole(messages: readonly PromptMessage[]): string {
  const last = messages.at(-1);
  return last !== undefined && !isPlaceholder(last) && last.role === "user" ? "assistant" : "user";
}
