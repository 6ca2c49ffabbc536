import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { formatCount, none } from "@/shared/lib/format";
import { Badge } from "@/shared/ui/Badge";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import type { DecisionCount, Evaluator, Rule } from "./api";
import { kindNames } from "./draft";
import { linkClass, RuleLinks } from "./RuleLinks";
import { runsOf } from "./words";

/** Counts of the last day by rule; undefined: not known yet, or not asked for. */
export type CountsOf = ReadonlyMap<string, readonly DecisionCount[] | undefined>;

interface EvaluatorTableProps {
  evaluators: readonly Evaluator[];
  rules: readonly Rule[] | undefined;
  countsOf: CountsOf;
}

export function EvaluatorTable({ evaluators, rules, countsOf }: EvaluatorTableProps) {
  const { id: projectId } = useProject();
  return <div className="px-4 pt-2 pb-3"><ShortTable label="Evaluators" rows={evaluators} keyOf={({ id }) => id} columns={columnsOf(projectId, rules ?? [], countsOf)} /></div>;
}

function columnsOf(projectId: string, rules: readonly Rule[], countsOf: CountsOf): ShortColumn<Evaluator>[] {
  const usedBy = ({ evaluationRuleAssignments }: Evaluator) => rules.filter(({ id }) => evaluationRuleAssignments.some(({ evaluationRuleId }) => evaluationRuleId === id));
  return [
    { header: "Name", cell: ({ id, name }) => <Link to="/project/$projectId/evaluators/$evaluatorId" params={{ projectId, evaluatorId: id }} className={linkClass}>{name}</Link> },
    { header: "Kind", cell: ({ type }) => kindNames[type] },
    { header: "State", cell: ({ status, pausedMessage }) => (status === "active" ? <Badge tone="ok">active</Badge> : <span title={pausedMessage ?? undefined}><Badge tone="warn">paused</Badge></span>) },
    { header: "Version", cell: ({ version, versionCreatedAt }) => <span>{version} <RelativeTime value={versionCreatedAt} className="text-text-3" /></span> },
    { header: "Used by", cell: (row) => (row.evaluationRuleAssignments.length === 0 ? <span className="text-text-3">no rule</span> : <RuleLinks rules={usedBy(row)} />) },
    { header: "Runs in 24 h", cell: (row) => <Runs {...runsOf(row.id, usedBy(row).flatMap(({ id }) => countsOf.get(id) ?? []))} known={usedBy(row).some(({ id }) => countsOf.get(id) !== undefined)} /> },
  ];
}

function Runs({ runs, failed, known }: { runs: number; failed: number; known: boolean }) {
  if (!known) return <span className="text-text-3">{none}</span>;
  return <span className="whitespace-nowrap">{formatCount(runs)}{failed > 0 && <span className="text-danger">, {formatCount(failed)} failed</span>}</span>;
}
