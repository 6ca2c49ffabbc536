import { useMemo } from "react";
import { JsonView } from "@/shared/json/JsonView";

/** A value within a message: a text as it is, anything else as a tree. */
export function JsonValue({ value, label }: { value: unknown; label: string }) {
  const bytes = useMemo(() => new TextEncoder().encode(JSON.stringify(value) ?? "null"), [value]);
  if (typeof value === "string") return <p className="px-2 py-1 font-mono text-xs break-words whitespace-pre-wrap">{value}</p>;
  return <JsonView bytes={bytes} label={label} />;
}
