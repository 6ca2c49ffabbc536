import type { ReactNode } from "react";
import { formatCount, formatTokens, none } from "@/shared/lib/format";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import type { TraceHead } from "@/shared/trace/rows";
import { Badge } from "@/shared/ui/Badge";
import { Id } from "@/shared/ui/Id";

/** What is known of the trace as a whole; stands where the details are while no row is chosen. */
export function TraceFacts({ head }: { head: TraceHead }) {
  const [zone] = useTimeZone();
  return (
    <div className="flex flex-col gap-3 overflow-auto p-3">
      <h2 className="text-lg font-semibold">{head.name || "Trace"}</h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-xs">
        <Fact name="Id"><Id value={head.id} label="trace id" /></Fact>
        <Fact name="Started">{absoluteTime(head.startTime, zone, true)}</Fact>
        <Fact name="Observations">{formatCount(head.observations)}, {formatCount(head.depth)} levels deep</Fact>
        <Fact name="Tokens">{formatTokens(head.inputTokens)} in, {formatTokens(head.outputTokens)} out</Fact>
        <Fact name="Unfinished">{formatCount(head.unfinished)}</Fact>
        <Fact name="Warnings">{formatCount(head.warnings)}</Fact>
        <Fact name="User">{head.userId ?? none}</Fact>
        <Fact name="Session">{head.sessionId ?? none}</Fact>
        <Fact name="Environment">{head.environment}</Fact>
        <Fact name="Release">{head.release ?? none}</Fact>
        <Fact name="Version">{head.version ?? none}</Fact>
        <Fact name="Tags">{head.tags.length === 0 ? none : <span className="flex flex-wrap gap-1">{head.tags.map((tag) => <Badge key={tag}>{tag}</Badge>)}</span>}</Fact>
      </dl>
      <p className="text-xs text-text-3">Choose a row to see its input and output.</p>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-text-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
