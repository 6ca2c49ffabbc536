import type { components } from "@/shared/api/schema.d.ts";

export type DatasetSummary = components["schemas"]["DatasetSummary"];

export interface Folder {
  /** With all folders around it. */
  path: string;
  name: string;
  datasets: number;
  items: number;
}

export interface FolderContent {
  folders: Folder[];
  datasets: DatasetSummary[];
}

/** What lies in a folder: names are cut at slashes. "" is the outermost. */
export function contentOf(all: readonly DatasetSummary[], folder: string): FolderContent {
  const before = folder === "" ? "" : `${folder}/`;
  const folders = new Map<string, Folder>();
  const datasets: DatasetSummary[] = [];
  for (const dataset of all) {
    if (!dataset.name.startsWith(before)) continue;
    const rest = dataset.name.slice(before.length);
    const slash = rest.indexOf("/");
    if (slash < 0) {
      datasets.push(dataset);
      continue;
    }
    const name = rest.slice(0, slash);
    const found = folders.get(name) ?? { path: before + name, name, datasets: 0, items: 0 };
    found.datasets++;
    found.items += dataset.activeItems;
    folders.set(name, found);
  }
  return { folders: [...folders.values()], datasets };
}

/** Datasets whose name or description holds all words of a text, wherever they lie. */
export function searchDatasets(all: readonly DatasetSummary[], text: string): DatasetSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ name, description }) => {
    const said = `${name} ${description ?? ""}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

/** The last part of a name, which stands for it inside of its folder. */
export const shortName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** The folders around a name or path, outermost first. */
export function foldersAround(path: string): { name: string; path: string }[] {
  const parts = path.split("/").filter(Boolean);
  return parts.map((name, index) => ({ name, path: parts.slice(0, index + 1).join("/") }));
}
