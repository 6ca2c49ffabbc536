import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useProject } from "@/shared/api/project";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { describeRange, type Range, resolveRange } from "@/shared/lib/range";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { NumberField } from "@/shared/ui/NumberField";
import { RangePicker } from "@/shared/ui/RangePicker";
import { Skeleton } from "@/shared/ui/Skeleton";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { backfillsQuery, estimateQuery, type Rule, startBackfill } from "./api";

/** Says what applying a rule to the past would do and cost, then starts it. */
export function BackfillDialog({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const [now] = useState(() => Date.now());
  const [range, setRange] = useState<Range>({ last: "24h" });
  const [maxRuns, setMaxRuns] = useState<number | null>(null);
  const [maxCost, setMaxCost] = useState("");
  const ends = resolveRange(range, now);
  const { data, error, refetch, isFetching } = useQuery(estimateQuery(project, { ruleId: rule.id, ...ends }));
  const wrongCost = maxCost.trim() !== "" && !/^\d+(\.\d{1,12})?$/.test(maxCost.trim());
  const start = useMutation({
    mutationFn: () => startBackfill(project, { ruleId: rule.id, ...ends, maxRuns, maxCost: maxCost.trim() || null }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: backfillsQuery(project, rule.id).queryKey });
      toast({ title: "The backfill has begun", detail: "How far it is stands above the decisions." });
      onClose();
    },
  });
  const ready = data !== undefined && !isFetching && data.rows > 0 && !wrongCost;
  return (
    <Dialog
      open onOpenChange={onClose} title={`Backfill of ${rule.name}`} description="Applies the rule to observations that it has not decided, and again to those that failed or that a budget or a pause left out."
      footer={<><Button onClick={onClose}>Cancel</Button><Button variant="primary" disabled={!ready} busy={start.isPending} onClick={() => start.mutate()}>{data === undefined || data.runs === 0 ? "Start" : `Start ${formatNumberOf(data.runs, "run")}`}</Button></>}
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-2 text-xs"><span className="font-medium text-text-2">Observations that started</span><RangePicker value={range} onChange={setRange} now={now} /></div>
        <section aria-label="Estimate" role="status" className="rounded-md border border-line bg-surface p-3 text-sm">
          {data === undefined && error === null && <><span className="sr-only">Counting</span><Skeleton className="h-16" /></>}
          {data !== undefined && (
            <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
              <dt className="text-text-2">Not decided yet, {describeRange(range).toLowerCase()}</dt><dd className="text-right">{formatCount(data.rows)}</dd>
              <dt className="text-text-2">Match the filter</dt><dd className="text-right">{formatCount(data.matching)}</dd>
              <dt className="text-text-2">In the sample</dt><dd className="text-right">{formatCount(data.sampled)}</dd>
              <dt className="text-text-2">Runs of evaluators</dt><dd className="text-right font-medium">{formatCount(data.runs)}</dd>
              <dt className="text-text-2">Estimated cost</dt><dd className="text-right font-medium">{data.cost === null ? "not known" : formatMoney(data.cost)}</dd>
            </dl>
          )}
          {data?.cost === null && <p className="pt-2 text-xs text-text-3">No run of a judge of this rule had a cost in the last 30 days. Bound what it may cost below.</p>}
          {data?.rows === 0 && <p className="pt-2 text-xs text-text-3">There is nothing to do in this time. Choose another.</p>}
          {error !== null && <ErrorState error={error} onRetry={() => void refetch()} compact className="p-0!" />}
        </section>
        <div className="grid grid-cols-2 gap-3">
          <NumberField label="Runs at most" value={maxRuns} onChange={setMaxRuns} min={1} step={1} hint="Empty: no bound" />
          <TextField label="Dollars at most" value={maxCost} onChange={setMaxCost} inputMode="decimal" hint="Empty: no bound" error={wrongCost ? "Dollars, such as 2.50." : undefined} />
        </div>
        <p className="text-xs text-text-3">It does not count against the budget of the day.</p>
        {start.error !== null && <ErrorState error={start.error} compact className="p-0!" />}
      </div>
    </Dialog>
  );
}
