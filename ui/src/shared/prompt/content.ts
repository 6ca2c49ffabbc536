export interface ChatMessage {
  role: string;
  content: string;
}

/** Stands for messages that are put in when the prompt is used. */
export interface Placeholder {
  type: "placeholder";
  name: string;
}

export type PromptMessage = ChatMessage | Placeholder;

/** The text of a prompt, or its messages. */
export type PromptContent = string | PromptMessage[];

export const isPlaceholder = (message: PromptMessage): message is Placeholder => "type" in message && message.type === "placeholder";

/** What a prompt of each type begins with. */
export const emptyContent = (type: "text" | "chat"): PromptContent => (type === "text" ? "" : [{ role: "system", content: "" }]);

/** Content as the API sends it; what is none of the two shapes is shown as its JSON. */
export function contentOf(value: unknown): PromptContent {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return JSON.stringify(value) ?? "";
  return value.map((message: Record<string, unknown>) =>
    message.type === "placeholder" ? { type: "placeholder", name: String(message.name) } : { role: String(message.role ?? "user"), content: String(message.content ?? "") });
}

/** All texts of a content, in order. */
export function textsOf(content: PromptContent): string[] {
  return typeof content === "string" ? [content] : content.flatMap((message) => (isPlaceholder(message) ? [] : [message.content]));
}

/** One text of it all, for comparing two versions line by line. */
export function printContent(content: PromptContent): string {
  if (typeof content === "string") return content;
  return content.map((message) => (isPlaceholder(message) ? `── placeholder: ${message.name} ──` : `── ${message.role} ──\n${message.content}`)).join("\n\n");
}

// As the server and the SDKs read them.
const variable = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** The names of variables, each once, in the order of their first use. */
export function variablesOf(content: PromptContent): string[] {
  const found = textsOf(content).flatMap((text) => [...text.matchAll(variable)].map(([, name]) => name ?? ""));
  return [...new Set(found)];
}

export function placeholdersOf(content: PromptContent): string[] {
  return typeof content === "string" ? [] : [...new Set(content.filter(isPlaceholder).map(({ name }) => name))];
}

/** Puts values in the place of variables. One without a value stays as it is written. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(variable, (written, name: string) => values[name] || written);
}

/** Another prompt that a text includes, by number or by label. */
export interface Reference {
  name: string;
  version?: number;
  label?: string;
}

/** The prompts that a content includes, each once. */
export function referencesOf(content: PromptContent): Reference[] {
  const found = new Map<string, Reference>();
  for (const text of textsOf(content)) {
    for (const [tag, name, kind, value] of text.matchAll(/@@@langfusePrompt:name=([^|@]+)\|(version|label)=([^|@]+)@@@/g)) {
      if (name === undefined || value === undefined) continue;
      if (kind === "label") found.set(tag, { name, label: value });
      else if (/^[1-9]\d*$/.test(value)) found.set(tag, { name, version: Number(value) });
    }
  }
  return [...found.values()];
}

/** The tag that includes another prompt. */
export const tagOf = ({ name, version, label }: Reference) => `@@@langfusePrompt:name=${name}|${version === undefined ? `label=${label}` : `version=${version}`}@@@`;

/** What is wrong with a config; undefined: it is JSON. */
export function configProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
}
