import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Gavel, Plus, Workflow } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { buttonClass, Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { countsQuery, evaluatorsQuery, rulesQuery } from "./api";
import { EvaluatorTable } from "./EvaluatorTable";
import { RuleDialog } from "./RuleDialog";
import { RuleTable } from "./RuleTable";

/** Each rule is counted by a request of its own; those of the newest rules are enough for a list. */
const counted = 12;
const day = 86_400_000;
const quarter = 900_000;

/** How observations are scored without people, and which of them. */
export function EvaluatorsPage() {
  const project = useProject();
  const mayChange = allows(project.role, "MEMBER");
  const evaluators = useQuery(evaluatorsQuery(project));
  const rules = useQuery(rulesQuery(project));
  const [since] = useState(() => new Date(Math.floor(Date.now() / quarter) * quarter - day).toISOString());
  const recent = (rules.data ?? []).slice(0, counted);
  const counts = useQueries({ queries: recent.map(({ id }) => ({ ...countsQuery(project, id, since), refetchInterval: 60_000 })) });
  const countsOf = new Map(recent.map(({ id }, index) => [id, counts[index]?.data]));
  const [making, setMaking] = useState(false);
  const none = evaluators.data?.length === 0;
  const newEvaluator = <Link to="/project/$projectId/evaluators/$evaluatorId" params={{ projectId: project.id, evaluatorId: "new" }} className={buttonClass("primary")}><Plus size={14} aria-hidden />New evaluator</Link>;
  return (
    <>
      <PageHeader title="Evaluators" documentTitle={`Evaluators · ${project.name}`} actions={mayChange && newEvaluator} />
      <div className="flex max-w-6xl flex-col gap-4 p-4">
        <Panel title="Evaluators">
          {evaluators.data === undefined && evaluators.error !== null && <ErrorState error={evaluators.error} onRetry={() => void evaluators.refetch()} compact />}
          {evaluators.data === undefined && evaluators.error === null && <div className="p-4"><SkeletonRows rows={3} label="Loading the evaluators" /></div>}
          {none && <EmptyState icon={Gavel} title="No evaluators yet" className="py-6!" actions={mayChange && newEvaluator}>An evaluator looks at one observation and gives it scores: by code of yours, or by asking a model. Begin with a template, and try it on an observation.</EmptyState>}
          {evaluators.data !== undefined && !none && <EvaluatorTable evaluators={evaluators.data} rules={rules.data} countsOf={countsOf} />}
        </Panel>
        <Panel title="Rules" aside={mayChange && <Button icon={Plus} disabled={none || evaluators.data === undefined} onClick={() => setMaking(true)}>New rule…</Button>}>
          {rules.data === undefined && rules.error !== null && <ErrorState error={rules.error} onRetry={() => void rules.refetch()} compact />}
          {rules.data === undefined && rules.error === null && <div className="p-4"><SkeletonRows rows={3} label="Loading the rules" /></div>}
          {rules.data?.length === 0 && <EmptyState icon={Workflow} title="No rules yet" className="py-6!">A rule says which observations are evaluated as they come, how many of them, and what that may cost.{none && " Make an evaluator first."}</EmptyState>}
          {rules.data !== undefined && rules.data.length > 0 && <RuleTable rules={rules.data} evaluators={evaluators.data ?? []} countsOf={countsOf} />}
        </Panel>
      </div>
      {making && <RuleDialog rule={null} chosen={evaluators.data?.slice(0, 1).map(({ id }) => id) ?? []} onClose={() => setMaking(false)} />}
    </>
  );
}
