import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { formatDuration } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { Badge } from "@/shared/ui/Badge";
import { scoreText } from "@/shared/ui/ScoreChip";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import type { Trial } from "./api";
import { meaningOf } from "./words";

const columns: ShortColumn<Trial["scores"][number]>[] = [
  { header: "Score", cell: ({ name }) => <span className="break-words">{name}</span> },
  { header: "Value", cell: (score) => <span className="break-words">{scoreText(score as never)}</span> },
  { header: "Type", cell: ({ dataType }) => <span className="text-text-2">{dataType.toLowerCase()}</span> },
  { header: "Comment", cell: ({ comment }) => <span className="break-words text-text-2">{comment ?? ""}</span> },
];

/** What a trial came to: scores, or why there are none, and what it took. */
export function TrialResult({ trial: { scores, reason, message, cost, durationMs, traceId } }: { trial: Trial }) {
  const { id: projectId } = useProject();
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-xs text-text-2">
        {reason === null ? <Badge tone="ok">evaluated</Badge> : <Badge tone="danger">failed</Badge>}
        <span>took {formatDuration(durationMs)}</span>
        {cost !== null && <span>cost {formatMoney(cost)}</span>}
        {traceId === null
          ? <span className="text-text-3">Nothing was stored.</span>
          : <span className="text-text-3">No score was stored. <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId }} className="text-accent underline underline-offset-2">Open the call of the model</Link></span>}
      </p>
      {reason !== null && (
        <div className="flex min-w-0 flex-col gap-1 rounded-md bg-danger-bg px-3 py-2 text-xs text-danger">
          <p className="font-medium first-letter:uppercase">{meaningOf(reason)}</p>
          {message !== null && <pre className="font-mono break-words whitespace-pre-wrap">{message}</pre>}
        </div>
      )}
      {reason === null && scores.length === 0 && <p className="text-xs text-text-2">It gave no score to this observation.</p>}
      {scores.length > 0 && <ShortTable label="Scores of the trial" rows={scores} keyOf={({ name }) => name} columns={columns} />}
    </>
  );
}
