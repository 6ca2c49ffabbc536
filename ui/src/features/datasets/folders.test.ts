import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentOf, type DatasetSummary, foldersAround, searchDatasets, shortName } from "./folders";

const dataset = (name: string, activeItems = 1): DatasetSummary => ({
  id: name, name, description: null, hasInputSchema: false, hasExpectedOutputSchema: false, activeItems, archivedItems: 0, itemsChangedAt: null, createdAt: "", updatedAt: "",
});

describe("contentOf", () => {
  it("cuts names at slashes and adds up what lies below", () => {
    const all = ["a", "a/b", "a/c/d", "a/c/e", "ab/x"].map((name) => dataset(name, 2));
    const top = contentOf(all, "");
    expect(top.datasets.map(({ name }) => name)).toEqual(["a"]);
    expect(top.folders).toEqual([{ path: "a", name: "a", datasets: 3, items: 6 }, { path: "ab", name: "ab", datasets: 1, items: 2 }]);
    expect(contentOf(all, "a").folders).toEqual([{ path: "a/c", name: "c", datasets: 2, items: 4 }]);
    expect(contentOf(all, "a/c").datasets.map(({ name }) => shortName(name))).toEqual(["d", "e"]);
    expect(contentOf(all, "none")).toEqual({ folders: [], datasets: [] });
  });

  it("shows every dataset in exactly one folder", () => {
    const anyName = fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    fc.assert(fc.property(fc.uniqueArray(anyName), (names) => {
      const all = names.map((name) => dataset(name));
      const seen: string[] = [];
      const walk = (folder: string) => {
        const { folders, datasets } = contentOf(all, folder);
        seen.push(...datasets.map(({ name }) => name));
        for (const { path } of folders) walk(path);
      };
      walk("");
      expect(seen.toSorted()).toEqual(names.toSorted());
    }));
  });
});

it("finds datasets by words of their names, and names the folders on the way", () => {
  expect(searchDatasets([dataset("support/Refunds"), dataset("support/other")], "refund supp").map(({ name }) => name)).toEqual(["support/Refunds"]);
  expect(foldersAround("a/b")).toEqual([{ name: "a", path: "a" }, { name: "b", path: "a/b" }]);
});
