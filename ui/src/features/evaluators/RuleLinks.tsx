import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { none } from "@/shared/lib/format";
import { Badge } from "@/shared/ui/Badge";
import type { Rule } from "./api";

export const linkClass = "inline-flex min-h-6 min-w-6 items-center break-words text-accent underline-offset-2 hover:underline";

/** The ways to rules, with a word about those that are off. */
export function RuleLinks({ rules }: { rules: readonly Rule[] }) {
  const { id: projectId } = useProject();
  if (rules.length === 0) return <>{none}</>;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {rules.map(({ id, name, enabled }) => (
        <span key={id} className="inline-flex items-center gap-1.5">
          <Link to="/project/$projectId/evaluators/rules/$ruleId" params={{ projectId, ruleId: id }} className={linkClass}>{name}</Link>
          {!enabled && <Badge>off</Badge>}
        </span>
      ))}
    </span>
  );
}
