import { type PromptContent, configProblem, contentOf, isPlaceholder, placeholdersOf, printContent, variablesOf } from "@/shared/prompt/content";
import type { Prompt } from "./api";

/** A version that is being written. */
export interface Draft {
  content: PromptContent;
  /** As it is typed, which may be no JSON yet. */
  config: string;
}

export const printConfig = (config: unknown) => JSON.stringify(config ?? {}, null, 2);

export const draftOf = (prompt: Prompt): Draft => ({ content: contentOf(prompt.prompt), config: printConfig(prompt.config) });

export const isChanged = (before: Draft, now: Draft) => printContent(before.content) !== printContent(now.content) || before.config !== now.config;

/** Why a draft cannot be saved; undefined: it can. */
export function problemOf({ content, config }: Draft): string | undefined {
  const both = placeholdersOf(content).find((name) => variablesOf(content).includes(name));
  if (both !== undefined) return `A variable and a placeholder are both called ${both}. Rename one.`;
  if (typeof content !== "string" && content.some((message) => isPlaceholder(message) && !/^[a-zA-Z][a-zA-Z0-9_]*$/.test(message.name))) {
    return "Names of placeholders begin with a letter, and have letters, digits and _ only.";
  }
  return configProblem(config) === undefined ? undefined : "The config is no JSON.";
}

/** Why a prompt cannot be called that; undefined: it can. As the server has it. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === "") return "Give it a name.";
  if (/\|/.test(name)) return "A name cannot have | in it.";
  if (/<[^>]*>/.test(name)) return "A name cannot have HTML in it.";
  if (/^\/|\/$|\/\//.test(name)) return "Slashes stand between two names of folders: none at the ends, and not two in a row.";
  return ["new", "metrics", "prompt-detail"].includes(name) ? "This name is an address of a page. Choose another." : undefined;
}

/** Names that somebody typed with commas between them. */
export const listOf = (text: string) => [...new Set(text.split(",").map((each) => each.trim()).filter((each) => each !== ""))];

/** Why labels cannot be given; undefined: they can. */
export function labelsProblem(labels: readonly string[]): string | undefined {
  if (labels.includes("latest")) return "The newest version has the label latest anyway.";
  return labels.every((label) => /^[a-z0-9_.-]{1,36}$/.test(label)) ? undefined : "Labels have 1 to 36 of a-z, 0-9, _, . and -.";
}
