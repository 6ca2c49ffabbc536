export const snippetLanguages = [
  { value: "python", label: "Python" },
  { value: "js", label: "JavaScript" },
  { value: "curl", label: "curl" },
] as const;

export type SnippetLanguage = (typeof snippetLanguages)[number]["value"];

export interface Fetched {
  name: string;
  type: "text" | "chat";
  /** How the version is named: by a label, or by its number. */
  label?: string;
  version: number;
  variables: readonly string[];
  baseUrl: string;
}

/** Code that fetches a prompt and fills it in, to be run with the keys of the project in the environment. */
export function snippetOf(language: SnippetLanguage, prompt: Fetched): string {
  return { python, js, curl }[language](prompt);
}

const quoted = JSON.stringify;

function python({ name, type, label, version, variables, baseUrl }: Fetched): string {
  const which = label === undefined ? `version=${version}` : `label=${quoted(label)}`;
  const kind = type === "chat" ? ', type="chat"' : "";
  return `# pip install langfuse
# export LANGFUSE_BASE_URL=${baseUrl}
# export LANGFUSE_PUBLIC_KEY=pk-lf-... LANGFUSE_SECRET_KEY=sk-lf-...
from langfuse import get_client

langfuse = get_client()
prompt = langfuse.get_prompt(${quoted(name)}, ${which}${kind})
print(prompt.compile(${variables.map((each) => `${each}="..."`).join(", ")}))
`;
}

function js({ name, type, label, version, variables, baseUrl }: Fetched): string {
  const which = [label === undefined ? `version: ${version}` : `label: ${quoted(label)}`, ...(type === "chat" ? ['type: "chat"'] : [])];
  return `// npm install @langfuse/client
// export LANGFUSE_BASE_URL=${baseUrl}
// export LANGFUSE_PUBLIC_KEY=pk-lf-... LANGFUSE_SECRET_KEY=sk-lf-...
import { LangfuseClient } from "@langfuse/client";

const langfuse = new LangfuseClient();
const prompt = await langfuse.prompt.get(${quoted(name)}, { ${which.join(", ")} });
console.log(prompt.compile({ ${variables.map((each) => `${each}: "..."`).join(", ")} }));
`;
}

function curl({ name, label, version, baseUrl }: Fetched): string {
  const which = label === undefined ? `version=${version}` : `label=${encodeURIComponent(label)}`;
  return `curl -u "$LANGFUSE_PUBLIC_KEY:$LANGFUSE_SECRET_KEY" \\
  "${baseUrl}/api/public/v2/prompts/${encodeURIComponent(name)}?${which}"
`;
}
