import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Workflow } from "lucide-react";
import { ApiError } from "@/shared/api/errors";
import { useProject } from "@/shared/api/project";
import { Banner } from "@/shared/ui/Banner";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { evaluatorsQuery, ruleQuery } from "./api";
import { Backfills } from "./Backfills";
import { DecisionLog } from "./DecisionLog";
import { RuleActions } from "./RuleActions";
import { RuleFacts } from "./RuleFacts";
import { linkClass } from "./RuleLinks";
import { standstill } from "./ruleDraft";
import { RuleState } from "./RuleTable";

/** What a rule says, and what it did with each observation, and why. */
export function RulePage() {
  const project = useProject();
  const { ruleId = "" } = useParams({ strict: false });
  const { data: rule, error, refetch } = useQuery(ruleQuery(project, ruleId));
  const { data: evaluators = [] } = useQuery(evaluatorsQuery(project));
  const missing = error instanceof ApiError && error.status === 404;
  const stands = rule === undefined ? undefined : standstill(rule, evaluators);
  return (
    <>
      <PageHeader title={rule?.name ?? "Rule"} documentTitle={`${rule?.name ?? "Rule"} · Evaluators · ${project.name}`} actions={rule !== undefined && <RuleActions rule={rule} />}>
        <span className="flex items-center gap-2 text-xs">
          <Link to="/project/$projectId/evaluators" params={{ projectId: project.id }} className={linkClass}>Evaluators</Link>
          {rule !== undefined && <RuleState rule={rule} evaluators={evaluators} />}
        </span>
      </PageHeader>
      {missing && (
        <EmptyState icon={Workflow} title="No such rule" actions={<Link to="/project/$projectId/evaluators" params={{ projectId: project.id }} className={buttonClass("primary")}>All rules</Link>}>
          It may have been deleted, or belong to another project.
        </EmptyState>
      )}
      {rule === undefined && error !== null && !missing && <ErrorState error={error} onRetry={() => void refetch()} />}
      {rule === undefined && error === null && <div className="p-4"><SkeletonRows rows={10} label="Loading the rule" /></div>}
      {rule !== undefined && (
        <div className="flex flex-col gap-4 p-4">
          {stands !== undefined && <Banner tone="warn">{stands}</Banner>}
          <RuleFacts rule={rule} evaluators={evaluators} />
          <Backfills ruleId={ruleId} />
          <DecisionLog ruleId={ruleId} evaluators={evaluators} />
        </div>
      )}
    </>
  );
}
