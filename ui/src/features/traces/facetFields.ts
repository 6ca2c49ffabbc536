/** The groups of the sidebar: the field of the facets, and what it is called. */
export const facetFields = [
  { field: "type", title: "Type" },
  { field: "level", title: "Level" },
  { field: "environment", title: "Environment" },
  { field: "name", title: "Name" },
  { field: "model", title: "Model" },
  { field: "promptName", title: "Prompt" },
  { field: "tags", title: "Tags" },
  { field: "userId", title: "User" },
  { field: "release", title: "Release" },
  { field: "metadataKeys", title: "Metadata keys" },
  { field: "scoreNames", title: "Scores" },
] as const;

/** Groups that are open at first; the others show their title only. */
export const openAtFirst: readonly string[] = ["type", "level", "environment", "name", "model"];
