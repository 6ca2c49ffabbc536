import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useProject } from "@/shared/api/project";
import type { Condition } from "@/shared/filter/condition";
import { formatNumberOf } from "@/shared/lib/format";
import { matchingQuery } from "./api";

const day = 86_400_000;

/** How many observations of the last day a rule would have been about. */
export function Matching({ conditions }: { conditions: readonly Condition[] }) {
  const project = useProject();
  const [now] = useState(() => Date.now());
  const { data, error } = useQuery(matchingQuery(project, conditions, new Date(now - day).toISOString(), new Date(now).toISOString()));
  const text = error !== null ? "How many match cannot be told now." : data === undefined ? "Counting what matches…" : `${data.meta.sampled ? "About " : ""}${formatNumberOf(data.count, "observation")} of the last 24 hours ${data.count === 1 ? "matches" : "match"}.`;
  return <p role="status" className="text-xs text-text-3">{text}</p>;
}
