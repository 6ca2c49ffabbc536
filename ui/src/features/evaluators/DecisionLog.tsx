import { useQuery } from "@tanstack/react-query";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Select } from "@/shared/ui/Select";
import { Skeleton } from "@/shared/ui/Skeleton";
import { StatTile } from "@/shared/ui/StatTile";
import { countsQuery, type Evaluator } from "./api";
import { Decisions } from "./Decisions";
import { keyOf, kindOf, meaningOf, sumOf, type Total, totalsOf } from "./words";

/** What a rule decided: how often which way, and each decision. The address says which of them are shown. */
export function DecisionLog({ ruleId, evaluators }: { ruleId: string; evaluators: readonly Evaluator[] }) {
  const project = useProject();
  const { data, error, refetch } = useQuery(countsQuery(project, ruleId));
  const [kind, setKind] = useUrlState("decision", "", { push: true });
  const [evaluatorId, setEvaluatorId] = useUrlState("evaluator");
  const seen = evaluators.filter(({ id }) => data?.some((count) => count.evaluatorId === id));
  const totals = totalsOf((data ?? []).filter((count) => evaluatorId === "" || count.evaluatorId === evaluatorId));
  const tile = (label: string, outcome?: Total["outcome"]) => <StatTile label={label} value={formatCount(sumOf(totals, outcome))} loading={data === undefined} />;
  return (
    <section aria-labelledby="decisions-title" className="flex min-w-0 flex-col gap-3">
      <header className="flex min-h-7 flex-wrap items-center gap-3">
        <h2 id="decisions-title" className="text-sm font-medium">Decisions</h2>
        {seen.length > 1 && <Select label="Evaluator" labelHidden value={evaluatorId} onChange={setEvaluatorId} options={[{ value: "", label: "All evaluators" }, ...seen.map(({ id, name }) => ({ value: id, label: name }))]} className="ml-auto w-56" />}
      </header>
      {error !== null && data === undefined ? <ErrorState error={error} onRetry={() => void refetch()} compact /> : (
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">{tile("Decisions")}{tile("Evaluated", "evaluated")}{tile("Skipped", "skipped")}{tile("Failed", "failed")}</div>
      )}
      {data === undefined && error === null && <Skeleton className="h-7 w-72" />}
      {data !== undefined && <Kinds totals={totals} kind={kind} onKind={setKind} />}
      <Decisions ruleId={ruleId} filter={{ ...kindOf(kind), evaluatorId }} evaluators={evaluators} />
    </section>
  );
}

/** The kinds of decisions that there are, each a way to see only those. */
function Kinds({ totals, kind, onKind }: { totals: readonly Total[]; kind: string; onKind: (kind: string) => void }) {
  const all = [{ key: "", label: "All", count: sumOf(totals) }, ...totals.map((total) => ({ key: keyOf(total), label: `${total.outcome}${total.reason && `: ${meaningOf(total.reason)}`}`, count: total.count }))];
  if (kind !== "" && all.every(({ key }) => key !== kind)) all.push({ key: kind, label: [kindOf(kind).outcome, meaningOf(kindOf(kind).reason)].filter(Boolean).join(": "), count: 0 });
  return (
    <div role="group" aria-label="Kinds of decisions" className="flex min-w-0 flex-wrap gap-1.5">
      {all.map(({ key, label, count }) => (
        <button
          key={key} type="button" aria-pressed={key === kind} onClick={() => onKind(key)}
          className={cx("inline-flex min-h-7 items-center gap-1.5 rounded-full border px-2.5 text-xs pointer-coarse:min-h-11", key === kind ? "border-accent bg-selected font-medium" : "border-line-strong text-text-2 hover:bg-surface hover:text-text")}
        >
          <span className="first-letter:uppercase">{label}</span><span className="text-text-3">{formatCount(count)}</span>
        </button>
      ))}
    </div>
  );
}
