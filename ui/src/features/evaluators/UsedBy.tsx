import { useQuery } from "@tanstack/react-query";
import { useProject } from "@/shared/api/project";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type Evaluator, rulesQuery } from "./api";
import { RuleLinks } from "./RuleLinks";

/** The rules that apply an evaluator. */
export function UsedBy({ evaluator }: { evaluator: Evaluator }) {
  const { data } = useQuery(rulesQuery(useProject()));
  const ids = evaluator.evaluationRuleAssignments.map(({ evaluationRuleId }) => evaluationRuleId);
  return (
    <section aria-label="Used by" className="flex flex-col gap-1 text-xs">
      <h2 className="font-medium text-text-2">Used by</h2>
      {ids.length === 0 && <p className="text-text-2">No rule yet, so it looks at nothing. “New rule…” above says which observations it gets.</p>}
      {ids.length > 0 && (data === undefined ? <SkeletonRows rows={1} label="Loading the rules" /> : <RuleLinks rules={data.filter(({ id }) => ids.includes(id))} />)}
    </section>
  );
}
