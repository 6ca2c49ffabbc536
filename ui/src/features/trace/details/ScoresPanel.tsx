import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef } from "react";
import { allows, useProject } from "@/shared/api/project";
import { Badge } from "@/shared/ui/Badge";
import { ErrorState } from "@/shared/ui/ErrorState";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { scoreText } from "@/shared/ui/ScoreChip";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { ScoreForm } from "./ScoreForm";
import { type Score, scoresQuery } from "@/shared/score/scores";
import type { Subject } from "@/shared/score/subject";

const Correction = lazy(() => import("@/shared/score/Correction"));

interface ScoresPanelProps {
  subject: Subject;
  /** Grows when somebody asks for the form. */
  asked: number;
  onObservation: (id: string) => void;
}

/** The server reads a score back after its next batch. */
const readableMs = 2000;

/** What people and programs think of an observation or a trace, and a form to say so. */
export function ScoresPanel({ subject, asked, onObservation }: ScoresPanelProps) {
  const project = useProject();
  const queries = useQueryClient();
  const query = scoresQuery(project, subject);
  const { data, error, refetch } = useQuery(query);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onCreated = (score: Score) => {
    queries.setQueryData(query.queryKey, (before) => [score, ...(before ?? [])]);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void queries.invalidateQueries({ queryKey: ["scores", project.id, subject.traceId] }), readableMs);
  };
  return (
    <div className="flex flex-col gap-3 p-3 [[role=tabpanel].p-3_&]:p-0">
      {allows(project.role, "MEMBER") && <ScoreForm subject={subject} asked={asked} onCreated={onCreated} />}
      {error !== null && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <SkeletonRows rows={2} label="Loading scores" />}
      {data?.length === 0 && <p className="text-xs text-text-2">No scores yet. Evaluators and your own code can send them, and you can give one above.</p>}
      {data !== undefined && data.length > 0 && (
        <ul aria-label="Scores" className="flex flex-col gap-2">
          {data.map((score) => <ScoreItem key={score.id} score={score} shown={subject} onObservation={onObservation} />)}
        </ul>
      )}
    </div>
  );
}

const sources = { API: "by API", EVAL: "by an evaluator", ANNOTATION: "by a person" } as const;

function ScoreItem({ score, shown, onObservation }: { score: Score; shown: Subject; onObservation: (id: string) => void }) {
  const { name, source, timestamp, comment, subject } = score;
  const elsewhere = shown.observationId === undefined;
  const corrected = { traceId: shown.traceId, observationId: subject?.kind === "observation" ? subject.id : undefined };
  return (
    <li className="rounded-lg border border-line px-3 py-2 text-xs">
      <div className="flex min-w-0 items-center gap-2">
        <span className="min-w-0 truncate font-medium">{score.dataType === "CORRECTION" ? "Correction" : name}</span>
        <span className="flex-1" />
        <ScoreValue score={score} />
      </div>
      {score.dataType === "CORRECTION" && <Suspense><div className="mt-1"><Correction subject={corrected} text={String(score.value)} /></div></Suspense>}
      {comment && <p className="mt-1 break-words whitespace-pre-wrap">{comment}</p>}
      <p className="mt-1 flex flex-wrap gap-x-2 text-2xs text-text-3">
        {sources[source]}
        <RelativeTime value={timestamp} />
        {elsewhere && subject?.kind === "observation" && <button type="button" className="min-h-6 text-accent underline" onClick={() => onObservation(subject.id)}>of an observation</button>}
      </p>
    </li>
  );
}

function ScoreValue({ score }: { score: Score }) {
  const { dataType, value } = score;
  if (dataType === "CORRECTION") return null;
  if (dataType === "BOOLEAN") return <Badge tone={value === true ? "ok" : "danger"}>{value === true ? "Yes" : "No"}</Badge>;
  if (dataType === "NUMERIC") return <span className="font-medium tabular-nums" title={String(value)}>{scoreText(score)}</span>;
  return <Badge className={dataType === "TEXT" ? "h-auto! max-w-3/4! text-wrap! break-words" : undefined}>{String(value)}</Badge>;
}
