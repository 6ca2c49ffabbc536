import { printCondition } from "@/shared/filter/print";
import type { Option } from "@/shared/ui/OptionList";
import type { ScoreKind } from "../api";
import { sourceWords, typeWords } from "../columns";

const any = (column: string, value: string) => printCondition({ type: "stringOptions", column, operator: "any of", value: [value] });

/** The query that chooses scores of one kind, of one author or of all. */
export function queryOf({ name, dataType, source }: ScoreKind, author?: string): string {
  const conditions = [any("name", name), any("dataType", dataType), any("source", source)];
  return [...conditions, ...(author === undefined ? [] : [any("authorUserId", author)])].join(" ");
}

/** What can be looked at: each score as a whole, and by author where several people gave it. */
export function optionsOf(kinds: readonly ScoreKind[], nameOf: (userId: string) => string): Option[] {
  const whole = new Map<string, { kind: ScoreKind; count: number; authors: ScoreKind[] }>();
  for (const kind of kinds) {
    if (kind.dataType === "TEXT" || kind.dataType === "CORRECTION") continue;
    const entry = whole.get(queryOf(kind)) ?? { kind, count: 0, authors: [] };
    entry.count += kind.count;
    if (kind.authorUserId !== null) entry.authors.push(kind);
    whole.set(queryOf(kind), entry);
  }
  return [...whole].toSorted(([, a], [, b]) => b.count - a.count).flatMap(([value, { kind, count, authors }]) => {
    const hint = `${typeWords[kind.dataType]} · ${sourceWords[kind.source]}`;
    const byAuthor = authors.length < 2 ? [] : authors.map((one) => ({ value: queryOf(kind, one.authorUserId!), label: `${kind.name} by ${nameOf(one.authorUserId!)}`, hint, count: one.count }));
    return [{ value, label: kind.name, hint, count }, ...byAuthor];
  });
}
