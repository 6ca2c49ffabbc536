import type { components } from "@/shared/api/schema.d.ts";

export type PromptSummary = components["schemas"]["PromptSummary"];

export interface Folder {
  /** Of the folder alone, without those around it. */
  name: string;
  /** From the top, without a slash at the end. */
  path: string;
  prompts: number;
  changedAt: string;
}

export interface Listing {
  folders: Folder[];
  prompts: PromptSummary[];
}

/** What lies in a folder: folders first, then prompts, each by name. "" is the top. */
export function listFolder(all: readonly PromptSummary[], path: string): Listing {
  const prefix = path === "" ? "" : `${path}/`;
  const folders = new Map<string, Folder>();
  const prompts: PromptSummary[] = [];
  for (const prompt of all) {
    if (!prompt.name.startsWith(prefix)) continue;
    const [first = "", ...rest] = prompt.name.slice(prefix.length).split("/");
    if (rest.length === 0) {
      prompts.push(prompt);
      continue;
    }
    const known = folders.get(first);
    folders.set(first, {
      name: first, path: prefix + first, prompts: (known?.prompts ?? 0) + 1,
      changedAt: known === undefined || known.changedAt < prompt.lastUpdatedAt ? prompt.lastUpdatedAt : known.changedAt,
    });
  }
  return { folders: [...folders.values()].toSorted((a, b) => a.name.localeCompare(b.name)), prompts };
}

/** The folders around a path, from the top: "a/b" is in "a", then in "a/b". */
export function trailOf(path: string): { name: string; path: string }[] {
  const parts = path === "" ? [] : path.split("/");
  return parts.map((name, index) => ({ name, path: parts.slice(0, index + 1).join("/") }));
}

/** Whether words are in a name, label or tag. */
export function isFound(prompt: PromptSummary, words: string): boolean {
  const text = [prompt.name, ...prompt.labels, ...prompt.tags].join(" ").toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
