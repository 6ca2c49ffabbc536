import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Gavel, Plus, Workflow } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { formatCount, formatPercent, none } from "@/shared/lib/format";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type Evaluator, evaluatorsQuery, type Rule, rulesQuery } from "./api";
import { EvaluatorDialog } from "./EvaluatorDialog";
import { RuleDialog } from "./RuleDialog";

type Open = { evaluator: Evaluator | null } | { rule: Rule | null } | null;

/** How observations are scored without people, and which of them. */
export function EvaluatorsPage() {
  const project = useProject();
  const mayChange = allows(project.role, "MEMBER");
  const evaluators = useQuery(evaluatorsQuery(project));
  const rules = useQuery(rulesQuery(project));
  const [open, setOpen] = useState<Open>(null);
  const newEvaluator = mayChange && <Button variant="primary" icon={Plus} onClick={() => setOpen({ evaluator: null })}>New evaluator</Button>;
  const newRule = mayChange && <Button icon={Plus} disabled={(evaluators.data?.length ?? 0) === 0} onClick={() => setOpen({ rule: null })}>New rule</Button>;
  return (
    <>
      <PageHeader title="Evaluators" actions={newEvaluator} />
      <div className="flex max-w-5xl flex-col gap-4 p-4">
        <Panel title="Evaluators">
          {evaluators.data === undefined && evaluators.error !== null && <ErrorState error={evaluators.error} onRetry={() => void evaluators.refetch()} compact />}
          {evaluators.data === undefined && evaluators.error === null && <SkeletonRows rows={3} label="Loading the evaluators" />}
          {evaluators.data?.length === 0 && <EmptyState icon={Gavel} title="No evaluators yet" className="py-6!">An evaluator looks at one observation and gives it scores. Begin with a template, and try it on an observation of yours.</EmptyState>}
          {evaluators.data !== undefined && evaluators.data.length > 0 && <EvaluatorTable rows={evaluators.data} onOpen={(evaluator) => setOpen({ evaluator })} />}
        </Panel>
        <Panel title="Rules" aside={newRule}>
          {rules.data === undefined && rules.error !== null && <ErrorState error={rules.error} onRetry={() => void rules.refetch()} compact />}
          {rules.data === undefined && rules.error === null && <SkeletonRows rows={3} label="Loading the rules" />}
          {rules.data?.length === 0 && <EmptyState icon={Workflow} title="No rules yet" className="py-6!">A rule says which observations are evaluated as they come, how many of them, and what that may cost.</EmptyState>}
          {rules.data !== undefined && rules.data.length > 0 && <RuleTable rows={rules.data} evaluators={evaluators.data ?? []} projectId={project.id} />}
        </Panel>
      </div>
      {open !== null && "evaluator" in open && <EvaluatorDialog evaluator={open.evaluator} onClose={() => setOpen(null)} />}
      {open !== null && "rule" in open && <RuleDialog rule={open.rule} evaluators={evaluators.data ?? []} onClose={() => setOpen(null)} />}
    </>
  );
}

const evaluatorColumns = (onOpen: (row: Evaluator) => void): ShortColumn<Evaluator>[] => [
  { header: "Name", cell: (row) => <Button variant="ghost" onClick={() => onOpen(row)}>{row.name}</Button> },
  { header: "Kind", cell: ({ type }) => (type === "code" ? "Code" : "LLM as a judge") },
  { header: "State", cell: ({ status, pausedMessage }) => (status === "active" ? <Badge tone="ok">active</Badge> : <span title={pausedMessage ?? undefined}><Badge tone="warn">paused</Badge></span>) },
  { header: "Version", cell: ({ version }) => version },
  { header: "Rules", cell: ({ evaluationRuleAssignments }) => formatCount(evaluationRuleAssignments.length) },
];

function EvaluatorTable({ rows, onOpen }: { rows: Evaluator[]; onOpen: (row: Evaluator) => void }) {
  return <ShortTable label="Evaluators" rows={rows} keyOf={({ id }) => id} columns={evaluatorColumns(onOpen)} />;
}

const ruleColumns = (projectId: string, nameOf: (id: string) => string): ShortColumn<Rule>[] => [
  { header: "Name", cell: ({ id, name }) => <Link to="/project/$projectId/evaluators/rules/$ruleId" params={{ projectId, ruleId: id }} className="text-accent underline-offset-2 hover:underline">{name}</Link> },
  { header: "State", cell: ({ enabled }) => <Badge tone={enabled ? "ok" : "neutral"}>{enabled ? "enabled" : "off"}</Badge> },
  { header: "Evaluators", cell: ({ evaluatorAssignments }) => evaluatorAssignments.map(({ evaluatorId }) => nameOf(evaluatorId)).join(", ") || none },
  { header: "Sample", cell: ({ sampling }) => formatPercent(sampling) },
  { header: "Runs per day", cell: ({ maxRunsPerDay }) => (maxRunsPerDay === null ? "no bound" : formatCount(maxRunsPerDay)) },
];

function RuleTable({ rows, evaluators, projectId }: { rows: Rule[]; evaluators: Evaluator[]; projectId: string }) {
  const nameOf = (id: string) => evaluators.find((evaluator) => evaluator.id === id)?.name ?? id;
  return <ShortTable label="Rules" rows={rows} keyOf={({ id }) => id} columns={ruleColumns(projectId, nameOf)} />;
}
