import type { components } from "@/shared/api/schema.d.ts";
import { Badge } from "./Badge";

type Score = Pick<components["schemas"]["Score"], "name" | "dataType" | "value">;

/** A score in one line: its name and what it says. A long text is cut; all of it is the title. */
export function ScoreChip({ score }: { score: Score }) {
  const value = scoreText(score);
  return (
    <span title={`${score.name}: ${value}`} className="inline-flex max-w-48 min-w-0">
      <Badge>
        <span className="min-w-0 truncate font-normal">{score.name}</span>
        <span className="min-w-0 truncate text-text">{value}</span>
      </Badge>
    </span>
  );
}

/** Numbers have at most three places behind the point. */
export function scoreText({ dataType, value }: Score): string {
  if (dataType === "BOOLEAN") return value === true || value === 1 ? "yes" : "no";
  if (typeof value === "number") return String(Number(value.toFixed(3)));
  return String(value);
}
