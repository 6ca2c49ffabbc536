import { Hash } from "lucide-react";
import { Badge } from "@/shared/ui/Badge";

/** Tags, told from labels by their sign. */
export function TagBadges({ tags }: { tags: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {tags.map((tag) => <Badge key={tag}><Hash size={10} aria-label="Tag" className="shrink-0 text-text-3" />{tag}</Badge>)}
    </span>
  );
}
