import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { formatCount, formatPercent, none } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { Badge } from "@/shared/ui/Badge";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import type { Evaluator, Rule } from "./api";
import type { CountsOf } from "./EvaluatorTable";
import { linkClass } from "./RuleLinks";
import { queryOf, standstill } from "./ruleDraft";
import { sumOf } from "./words";

interface RuleTableProps {
  rules: readonly Rule[];
  evaluators: readonly Evaluator[];
  countsOf: CountsOf;
}

export function RuleTable({ rules, evaluators, countsOf }: RuleTableProps) {
  const { id: projectId } = useProject();
  return <div className="px-4 pt-2 pb-3"><ShortTable label="Rules" rows={rules} keyOf={({ id }) => id} columns={columnsOf(projectId, evaluators, countsOf)} /></div>;
}

function columnsOf(projectId: string, evaluators: readonly Evaluator[], countsOf: CountsOf): ShortColumn<Rule>[] {
  const nameOf = (id: string) => evaluators.find((evaluator) => evaluator.id === id)?.name ?? id;
  return [
    { header: "Name", cell: ({ id, name }) => <Link to="/project/$projectId/evaluators/rules/$ruleId" params={{ projectId, ruleId: id }} className={linkClass}>{name}</Link> },
    { header: "State", cell: (rule) => <RuleState rule={rule} evaluators={evaluators} /> },
    { header: "Evaluators", cell: ({ evaluatorAssignments }) => <span className="break-words">{evaluatorAssignments.map(({ evaluatorId }) => nameOf(evaluatorId)).join(", ") || none}</span> },
    { header: "Filter", cell: (rule) => <code className="line-clamp-2 font-mono text-2xs break-all text-text-2">{queryOf(rule) || "everything"}</code> },
    { header: "Sample", cell: ({ sampling }) => formatPercent(sampling) },
    { header: "Budget", cell: (rule) => <span className="whitespace-nowrap">{budgetText(rule)}</span> },
    { header: "Decided in 24 h", cell: ({ id }) => <Decided counts={countsOf.get(id)} /> },
  ];
}

export function RuleState({ rule, evaluators }: { rule: Rule; evaluators: readonly Evaluator[] }) {
  const stands = standstill(rule, evaluators);
  if (!rule.enabled) return <Badge>off</Badge>;
  return stands === undefined ? <Badge tone="ok">enabled</Badge> : <span title={stands}><Badge tone="warn">paused</Badge></span>;
}

export function budgetText({ maxRunsPerDay, maxCostPerDay }: Pick<Rule, "maxRunsPerDay" | "maxCostPerDay">): string {
  const parts = [maxRunsPerDay === null ? undefined : `${formatCount(maxRunsPerDay)} runs`, maxCostPerDay === null ? undefined : formatMoney(maxCostPerDay)].filter((part) => part !== undefined);
  return parts.length === 0 ? "no bound" : `${parts.join(", ")} a day`;
}

function Decided({ counts }: { counts: Parameters<typeof sumOf>[0] | undefined }) {
  if (counts === undefined) return <span className="text-text-3">{none}</span>;
  const failed = sumOf(counts, "failed");
  return <span className="whitespace-nowrap">{formatCount(sumOf(counts))} <span className="text-text-3">({formatCount(sumOf(counts, "evaluated"))} evaluated{failed > 0 && <span className="text-danger">, {formatCount(failed)} failed</span>})</span></span>;
}
