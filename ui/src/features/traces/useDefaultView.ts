import { useStoredText } from "@/shared/lib/preferences";
import type { TableName } from "./listState";

/** Where this browser remembers which view a list begins with, so that it need not ask each time. */
export function useDefaultView(projectId: string, table: TableName) {
  return useStoredText(`default-view.${projectId}.${table}`, "");
}
