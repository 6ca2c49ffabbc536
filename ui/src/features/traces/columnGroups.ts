import type { ColumnGroup } from "@/shared/table/ColumnMenu";
import type { Facets } from "./api";
import { fixedColumns, metadataColumnId } from "./columns";

/** What the menu of columns offers: the columns of every row, and the keys of metadata that rows have. */
export function columnGroups(facets: Facets | undefined): ColumnGroup[] {
  const keys = (facets?.values.metadataKeys ?? []).flatMap(({ value }) => value ?? []);
  return [
    { title: "Columns", columns: [...fixedColumns.values()] },
    { title: "Metadata", columns: keys.map((key) => ({ id: metadataColumnId(key), header: key, width: 132 })) },
  ];
}
