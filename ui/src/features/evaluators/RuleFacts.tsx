import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useProject } from "@/shared/api/project";
import { formatCount, formatPercent, none } from "@/shared/lib/format";
import { addMoney, formatMoney } from "@/shared/lib/money";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { countsQuery, type Evaluator, type Rule } from "./api";
import { linkClass } from "./RuleLinks";
import { queryOf, splitFilter, targets } from "./ruleDraft";
import { budgetText } from "./RuleTable";
import { sumOf } from "./words";

/** What a rule says, in words, and how much of today's budget is used. */
export function RuleFacts({ rule, evaluators }: { rule: Rule; evaluators: readonly Evaluator[] }) {
  const { id: projectId } = useProject();
  const query = queryOf(rule);
  const { target } = splitFilter(rule.filter);
  return (
    <dl aria-label="The rule" className="grid gap-x-6 gap-y-3 rounded-lg border border-line bg-raised p-4 text-xs sm:grid-cols-2 lg:grid-cols-4">
      <Fact name="Evaluators">
        {rule.evaluatorAssignments.length === 0 && none}
        <span className="flex flex-wrap gap-x-3">
          {rule.evaluatorAssignments.map(({ evaluatorId }) => <Link key={evaluatorId} to="/project/$projectId/evaluators/$evaluatorId" params={{ projectId, evaluatorId }} className={linkClass}>{evaluators.find(({ id }) => id === evaluatorId)?.name ?? evaluatorId}</Link>)}
        </span>
      </Fact>
      <Fact name="Which observations">
        {targets.find(({ value }) => value === target)?.label}
        {query !== "" && <Link to="/project/$projectId/observations" params={{ projectId }} search={{ q: query } as never} title="Show them" className={`${linkClass} font-mono`}>{query}</Link>}
      </Fact>
      <Fact name="Sample">{formatPercent(rule.sampling)}</Fact>
      <Fact name="Budget">{budgetText(rule)}<Used rule={rule} /></Fact>
      <Fact name="Decided up to">{rule.evaluatedTo === null ? "it is off" : <RelativeTime value={rule.evaluatedTo} />}</Fact>
      <Fact name="Changed"><RelativeTime value={rule.updatedAt} /></Fact>
    </dl>
  );
}

/** What ran since midnight, UTC, of which budgets are. */
function Used({ rule }: { rule: Rule }) {
  const project = useProject();
  const [midnight] = useState(() => `${new Date().toISOString().slice(0, 10)}T00:00:00Z`);
  const { data } = useQuery(countsQuery(project, rule.id, midnight));
  if (data === undefined) return null;
  return <span className="text-text-3">today {formatCount(sumOf(data, "evaluated") + sumOf(data, "failed"))} runs, {formatMoney(addMoney(data.map(({ cost }) => cost)))}, backfills included</span>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <dt className="text-text-3">{name}</dt>
      <dd className="flex min-w-0 flex-col break-words">{children}</dd>
    </div>
  );
}
