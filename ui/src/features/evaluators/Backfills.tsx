import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { describeRange } from "@/shared/lib/range";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { ProgressBar } from "@/shared/ui/ProgressBar";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { useToast } from "@/shared/ui/Toast";
import { backfillsQuery, cancelJob, type Job, rulesKey, works } from "./api";
import { jobWords, resultText } from "./words";

const shown = 3;

/** The latest backfills of a rule, and how far the one is that works. Without any it is not there. */
export function Backfills({ ruleId }: { ruleId: string }) {
  const project = useProject();
  const queries = useQueryClient();
  const { data = [] } = useQuery(backfillsQuery(project, ruleId));
  const working = data.filter(works).length;
  const before = useRef(0);
  const ended = useEffectEvent(() => void queries.invalidateQueries({ queryKey: rulesKey(project) })); // its last decisions are news
  useEffect(() => {
    if (working < before.current) ended();
    before.current = working;
  }, [working]);
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="backfills-title" className="flex flex-col gap-2 rounded-lg border border-line bg-raised p-4">
      <h2 id="backfills-title" className="text-sm font-medium">Backfills</h2>
      <ul className="flex flex-col gap-3">{data.slice(0, shown).map((job) => <li key={job.id}><BackfillLine job={job} /></li>)}</ul>
    </section>
  );
}

function BackfillLine({ job }: { job: Job }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const cancel = useMutation({
    mutationFn: () => cancelJob(project, job.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["backfills", project.id] }),
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  const { from, to } = job.parameters as unknown as { from: string; to: string };
  const { label, tone } = jobWords[job.state];
  return (
    <div className="flex flex-col gap-1.5 text-xs">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone}>{label}</Badge>
        <span>{describeRange({ from, to })}</span>
        <RelativeTime value={job.createdAt} className="text-text-3" />
        {job.state === "done" && <span className="text-text-2">{resultText(job.result)}</span>}
        {job.reason !== null && <span className="min-w-0 break-words text-text-2">{job.reason}</span>}
        {works(job) && allows(project.role, "ADMIN") && <Button className="ml-auto" busy={cancel.isPending} onClick={() => cancel.mutate()}>Cancel</Button>}
      </p>
      {works(job) && <ProgressBar label="Observations decided" done={job.progress.done} total={job.progress.total === 0 ? undefined : job.progress.total} />}
      {works(job) && job.progress.text !== "" && <p className="text-text-3">{job.progress.text}</p>}
    </div>
  );
}
