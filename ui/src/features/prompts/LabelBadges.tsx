import { Badge } from "@/shared/ui/Badge";

/** The label whose version is read when none is named. */
export const production = "production";
/** The label that the newest version always has; nobody moves it. */
export const latest = "latest";

export function LabelBadges({ labels }: { labels: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {labels.map((label) => <Badge key={label} tone={label === production ? "ok" : "neutral"}>{label}</Badge>)}
    </span>
  );
}
