import type { NewConnection } from "./api";

/** The wire formats that can be called, with what their address is when none is given. */
export const adapters = [
  { value: "openai", label: "OpenAI, or a server that speaks its API", base: "https://api.openai.com/v1" },
  { value: "anthropic", label: "Anthropic", base: "https://api.anthropic.com" },
  { value: "google-ai-studio", label: "Google AI Studio (Gemini)", base: "https://generativelanguage.googleapis.com" },
  { value: "azure", label: "Azure OpenAI", base: "https://NAME.openai.azure.com/openai/deployments" },
] as const;

export type Adapter = (typeof adapters)[number]["value"];

export interface ConnectionForm {
  provider: string;
  adapter: Adapter;
  secretKey: string;
  baseURL: string;
  models: string;
  withDefaultModels: boolean;
  headers: string;
}

export const emptyForm: ConnectionForm = { provider: "", adapter: "openai", secretKey: "", baseURL: "", models: "", withDefaultModels: true, headers: "" };

const linesOf = (text: string) => text.split(/[\n,]/).map((line) => line.trim()).filter((line) => line !== "");

/** What is wrong, by field. */
export function problemsOf(form: ConnectionForm): Partial<Record<keyof ConnectionForm, string>> {
  const wrong: Partial<Record<keyof ConnectionForm, string>> = {};
  if (form.provider.trim() === "") wrong.provider = "Give it a name.";
  if (form.secretKey.trim() === "") wrong.secretKey = "Give the provider's key.";
  if (form.baseURL.trim() !== "" && !/^https?:\/\/[^/]/.test(form.baseURL.trim())) wrong.baseURL = "An address starts with https://.";
  if (form.adapter === "azure" && form.baseURL.trim() === "") wrong.baseURL = "Azure needs the address of your resource.";
  if (!form.withDefaultModels && linesOf(form.models).length === 0) wrong.models = "Name at least one model, or offer the usual ones.";
  if (form.adapter === "azure" && linesOf(form.models).length === 0) wrong.models = "Name your deployments.";
  if (form.headers.split("\n").some((line) => line.trim() !== "" && !/^[^:\s]+:/.test(line.trim()))) wrong.headers = "One header per line, as Name: value.";
  const empty = headersOf(form).find(([, value]) => value === "");
  if (empty !== undefined) wrong.headers = `Give ${empty[0]} a value, or take its line out.`;
  return wrong;
}

function headersOf(form: ConnectionForm): [string, string][] {
  return form.headers.split("\n").flatMap((line): [string, string][] => {
    const [, name, value] = /^\s*([^:\s]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ""]];
  });
}

export function connectionOf(form: ConnectionForm): NewConnection {
  const headers = headersOf(form);
  return {
    provider: form.provider.trim(), adapter: form.adapter, secretKey: form.secretKey.trim(), baseURL: form.baseURL.trim() === "" ? null : form.baseURL.trim(), customModels: linesOf(form.models),
    withDefaultModels: form.withDefaultModels, extraHeaders: headers.length === 0 ? null : Object.fromEntries(headers),
  };
}
