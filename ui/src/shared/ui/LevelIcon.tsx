import { Bug, CircleAlert, TriangleAlert } from "lucide-react";

/** Errors, warnings and debug rows are marked; an ordinary row carries no mark. */
export function LevelIcon({ level, size = 14 }: { level: string; size?: number }) {
  const icon = markOf(level, size);
  if (icon === null) return null;
  return (
    <span className="inline-flex shrink-0" title={level}>
      {icon}
      <span className="sr-only">{level}</span>
    </span>
  );
}

function markOf(level: string, size: number) {
  if (level === "ERROR") return <CircleAlert size={size} aria-hidden className="text-danger" />;
  if (level === "WARNING") return <TriangleAlert size={size} aria-hidden className="text-warn" />;
  if (level === "DEBUG") return <Bug size={size} aria-hidden className="text-text-3" />;
  return null;
}
