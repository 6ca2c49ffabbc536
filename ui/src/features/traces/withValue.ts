import { addCondition, treat, treatKey } from "@/shared/filter/edit";

const metadata = "metadata.";
/** Longer values of metadata are compared by their beginning. */
const wholeLength = 256;

/** The query with a condition on a value of a compared field; undefined where the API has no such condition. */
export function withValue(text: string, field: string, value: string | null): string | undefined {
  if (field === "scoreNames") return undefined;
  if (field === "metadataKeys") return value === null ? undefined : treatKey(text, value, "include");
  if (field === "prompt") return withPrompt(text, value);
  if (!field.startsWith(metadata)) return treat(text, field, value, "include");
  const key = field.slice(metadata.length);
  if (value === null) return treatKey(text, key, "exclude");
  const operator = new TextEncoder().encode(value).length >= wholeLength ? "starts with" : "=";
  return addCondition(text, { type: "stringObject", column: "metadata", key, operator, value });
}

/** A prompt is compared as name:version. */
function withPrompt(text: string, value: string | null): string {
  const colon = value?.lastIndexOf(":") ?? -1;
  if (value === null || colon < 0) return treat(text, "promptName", value, "include");
  const named = treat(text, "promptName", value.slice(0, colon), "include");
  const version = Number(value.slice(colon + 1));
  return Number.isInteger(version) ? addCondition(named, { type: "number", column: "promptVersion", operator: "=", value: version }) : named;
}
