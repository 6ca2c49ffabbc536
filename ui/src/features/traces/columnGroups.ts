import type { ColumnGroup } from "@/shared/table/ColumnMenu";
import type { Facets } from "./api";
import { fixedColumns, metadataColumnId, scoreColumnId } from "./columns";

/** What the menu of columns offers: the columns of every row, and the scores and keys of metadata that rows have. */
export function columnGroups(facets: Facets | undefined): ColumnGroup[] {
  const keys = (facets?.values.metadataKeys ?? []).flatMap(({ value }) => value ?? []);
  const names = (facets?.values.scoreNames ?? []).flatMap(({ value }) => value ?? []);
  return [
    { title: "Columns", columns: [...fixedColumns.values()] },
    { title: "Scores", columns: names.map((name) => ({ id: scoreColumnId(name), header: name, width: 112 })) },
    { title: "Metadata", columns: keys.map((key) => ({ id: metadataColumnId(key), header: key, width: 132 })) },
  ];
}
