import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { formatCount, formatDuration } from "@/shared/lib/format";
import { buttonClass } from "@/shared/ui/Button";
import { CopyButton } from "@/shared/ui/CopyButton";
import { Money, Tokens } from "@/shared/ui/Figures";
import { PageHeader } from "@/shared/ui/PageHeader";
import { ScoreChip } from "@/shared/ui/ScoreChip";
import type { Score } from "./api";
import type { SessionSums } from "./sums";

interface SessionHeaderProps {
  sessionId: string;
  sums: SessionSums;
  users: readonly string[];
  scores: readonly Score[];
}

/** Which session it is, whose, and what it took. */
export function SessionHeader({ sessionId, sums, users, scores }: SessionHeaderProps) {
  const { id: projectId } = useProject();
  return (
    <PageHeader
      title={sessionId} documentTitle={`${sessionId} · Sessions`}
      actions={<Link to="/project/$projectId/traces" params={{ projectId }} search={{ q: sums.query, range: sums.range } as never} className={buttonClass("secondary")}>Traces as a list</Link>}
    >
      <CopyButton text={sessionId} label="Copy session id" />
      <ul aria-label="Figures" className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 text-xs text-text-2">
        {users.map((user) => (
          <li key={user} className="min-w-0">
            <Link to="/project/$projectId/users/$userId" params={{ projectId, userId: user }} className="inline-flex min-h-6 max-w-40 items-center text-accent hover:underline"><span className="truncate">{user}</span></Link>
          </li>
        ))}
        <li>{sums.more ? "newest " : ""}{formatCount(sums.turns)} {sums.turns === 1 ? "turn" : "turns"}</li>
        <li>{formatDuration(sums.duration)}</li>
        <li><Tokens count={sums.tokens} /> tokens</li>
        <li><Money amount={sums.cost} /></li>
        {sums.errors > 0 && <li className="text-danger">{sums.errors === 1 ? "1 error" : `${formatCount(sums.errors)} errors`}</li>}
        {scores.map((score) => <li key={score.id} className="flex min-w-0"><ScoreChip score={score} /></li>)}
      </ul>
    </PageHeader>
  );
}
