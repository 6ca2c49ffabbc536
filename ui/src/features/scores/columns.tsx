import { Link } from "@tanstack/react-router";
import { createContext, use } from "react";
import { useProject } from "@/shared/api/project";
import { none } from "@/shared/lib/format";
import type { Column } from "@/shared/table/columns";
import { Badge } from "@/shared/ui/Badge";
import { AbsoluteTime, RelativeTime } from "@/shared/ui/RelativeTime";
import { scoreText } from "@/shared/ui/ScoreChip";
import type { Score } from "./api";

/** Cells find the names of authors here. */
export const NamesContext = createContext<(userId: string) => string>(String);

export const sourceWords = { API: "API", EVAL: "Evaluator", ANNOTATION: "Person" } as const;
export const typeWords = { NUMERIC: "Number", BOOLEAN: "Yes or no", CATEGORICAL: "Category", TEXT: "Text", CORRECTION: "Correction" } as const;

export function ScoreValue({ score }: { score: Score }) {
  if (score.dataType === "BOOLEAN") return <Badge tone={score.value === true ? "ok" : "danger"}>{score.value === true ? "Yes" : "No"}</Badge>;
  if (score.dataType === "CATEGORICAL") return <Badge>{String(score.value)}</Badge>;
  return <span className={score.dataType === "NUMERIC" ? "tabular-nums" : "truncate"} title={String(score.value)}>{scoreText(score)}</span>;
}

function Author({ score: { authorUserId } }: { score: Score }) {
  const nameOf = use(NamesContext);
  return authorUserId ? <span className="truncate" title={nameOf(authorUserId)}>{nameOf(authorUserId)}</span> : <span className="text-text-3">{none}</span>;
}

/** What a score is about, in the words of a link. */
function subjectWords({ subject }: Score): string {
  if (subject === undefined) return none;
  const word = { trace: "Trace", observation: "Observation", session: "Session", experiment: "Experiment" }[subject.kind];
  return `${word} ${subject.kind === "session" ? subject.id : subject.id.slice(0, 12)}`;
}

/** The way to what a score is about. */
export function SubjectLink({ score }: { score: Score }) {
  const { id: projectId } = useProject();
  const { subject } = score;
  const words = subjectWords(score);
  const link = "truncate text-accent hover:underline";
  if (subject?.kind === "trace") return <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: subject.id }} className={link} tabIndex={-1}>{words}</Link>;
  if (subject?.kind === "observation" && subject.traceId) {
    return <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: subject.traceId }} search={{ observation: subject.id } as never} className={link} tabIndex={-1}>{words}</Link>;
  }
  if (subject?.kind === "session") return <Link to="/project/$projectId/sessions/$sessionId" params={{ projectId, sessionId: subject.id }} className={link} tabIndex={-1}>{words}</Link>;
  return <span className="truncate text-text-2">{words}</span>;
}

function Card({ score }: { score: Score }) {
  const nameOf = use(NamesContext);
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-0.5 px-1">
      <div className="flex min-w-0 items-center gap-1.5">
        <span className="min-w-0 flex-1 truncate text-sm font-medium">{score.name}</span>
        <ScoreValue score={score} />
        <RelativeTime value={score.timestamp} className="shrink-0 text-text-3" />
      </div>
      <div className="flex min-w-0 gap-2 text-text-2">
        <span className="shrink-0">{score.authorUserId ? nameOf(score.authorUserId) : sourceWords[score.source]}</span>
        <span className="shrink-0">{subjectWords(score)}</span>
        <span className="min-w-0 truncate text-text-3">{score.comment}</span>
      </div>
    </div>
  );
}

export const card = { height: 60, column: { id: "card", header: "Score", cell: (score: Score) => <Card score={score} />, width: 0, grows: true } };

const columns: Column<Score>[] = [
  { id: "timestamp", header: "Time", cell: (score) => <AbsoluteTime value={score.timestamp} className="whitespace-nowrap text-text-2" />, width: 140 },
  { id: "name", header: "Name", cell: (score) => <span className="truncate font-medium" title={score.name}>{score.name}</span>, width: 160 },
  { id: "value", header: "Value", cell: (score) => <ScoreValue score={score} />, width: 120 },
  { id: "source", header: "Source", cell: (score) => sourceWords[score.source], width: 80 },
  { id: "dataType", header: "Type", cell: (score) => typeWords[score.dataType], width: 88 },
  { id: "author", header: "Author", cell: (score) => <Author score={score} />, width: 110 },
  { id: "subject", header: "About", cell: (score) => <SubjectLink score={score} />, width: 180 },
  { id: "comment", header: "Comment", cell: (score) => <span className="truncate text-text-2" title={score.comment ?? undefined}>{score.comment ?? none}</span>, width: 140, grows: true },
  { id: "environment", header: "Environment", cell: (score) => score.environment, width: 96 },
];

export const known: ReadonlyMap<string, Column<Score>> = new Map(columns.map((column) => [column.id, column]));
export const shown = columns.map(({ id }) => ({ id, pinned: false }));
