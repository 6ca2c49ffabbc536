import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Select } from "@/shared/ui/Select";
import { estimate, startBackfill } from "./api";

const day = 86_400_000;
const ranges = [{ value: "1", label: "The last day" }, { value: "7", label: "The last 7 days" }, { value: "30", label: "The last 30 days" }];

/** Says what applying a rule to the past would do and cost, then starts it. */
export function BackfillDialog({ ruleId, onClose }: { ruleId: string; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const [days, setDays] = useState("1");
  const guess = useMutation({
    mutationFn: async () => {
      const to = new Date();
      const [from, until] = [new Date(to.getTime() - Number(days) * day).toISOString(), to.toISOString()];
      return { from, until, ...(await estimate(project, ruleId, from, until)) };
    },
  });
  const start = useMutation({
    mutationFn: ({ from, until }: { from: string; until: string }) => startBackfill(project, ruleId, from, until),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["evaluation-rules", project.id, ruleId] }),
  });
  const found = guess.data;
  const footer = start.data !== undefined ? <Button variant="primary" onClick={onClose}>Close</Button> : (
    <><Button onClick={onClose}>Cancel</Button><Button variant={found === undefined ? "primary" : "secondary"} busy={guess.isPending} onClick={() => guess.mutate()}>Estimate</Button>
      <Button variant="primary" disabled={found === undefined || found.rows === 0} busy={start.isPending} onClick={() => found !== undefined && start.mutate(found)}>Start</Button></>
  );
  return (
    <Dialog open onOpenChange={onClose} title="Backfill" description="Applies the rule to observations that it has not decided, and again to those that failed or that a budget left out." footer={footer}>
      <div className="flex flex-col gap-4">
        <Select label="Observations of" value={days} onChange={(value) => { setDays(value); guess.reset(); }} options={ranges} className="max-w-56" />
        <div role="status" className="text-sm">
          {found !== undefined && <p>{formatCount(found.rows)} observations, {formatCount(found.matching)} match, {formatCount(found.runs)} runs of evaluators. Cost: {found.cost === null ? "not known, as no run had one yet" : `$${found.cost}`}.</p>}
          {start.data !== undefined && <p>The backfill works in the background, as the job {start.data.id}. Its decisions show here as they are made.</p>}
        </div>
        {guess.error !== null && <ErrorState error={guess.error} compact className="p-0!" />}
        {start.error !== null && <ErrorState error={start.error} compact className="p-0!" />}
      </div>
    </Dialog>
  );
}
