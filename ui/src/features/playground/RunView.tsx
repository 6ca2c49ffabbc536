import { Link } from "@tanstack/react-router";
import { ApiError } from "@/shared/api/errors";
import { useProject } from "@/shared/api/project";
import { formatDuration } from "@/shared/lib/format";
import { JsonValue } from "@/shared/chat/JsonValue";
import { Markdown } from "@/shared/markdown/Markdown";
import { Badge } from "@/shared/ui/Badge";
import { CopyButton } from "@/shared/ui/CopyButton";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Money, Tokens } from "@/shared/ui/Figures";
import { Id } from "@/shared/ui/Id";
import type { Run } from "./variant";

const words: Record<Run["state"], string> = { running: "Answering…", done: "Answered", failed: "Failed", stopped: "Stopped" };
const tones = { running: "accent", done: "ok", failed: "danger", stopped: "warn" } as const;

/** What a model says, while it says it and afterwards. */
export function RunView({ run, letter }: { run: Run; letter: string }) {
  const { state, text, tools, result, error } = run;
  const object = run.bySchema && state === "done" ? parsed(text) : undefined;
  return (
    <section aria-label={`Answer ${letter}`} aria-busy={state === "running"} className="flex min-w-0 flex-col gap-2 rounded-md border border-line bg-bg p-3">
      <div className="flex flex-wrap items-center gap-2">
        <span role="status"><Badge tone={tones[state]}>{words[state]}</Badge></span>
        {result !== undefined && <Figures result={result} />}
        {text !== "" && <span className="ml-auto"><CopyButton text={text} label={`Copy answer ${letter}`} /></span>}
      </div>
      {text !== "" && state === "running" && <p className="text-sm break-words whitespace-pre-wrap">{text}</p>}
      {text !== "" && state !== "running" && (typeof object === "object" ? <JsonValue value={object} label={`Answer ${letter}`} /> : <Markdown text={text} />)}
      {text === "" && tools.length === 0 && state === "done" && <p className="text-sm text-text-3">The model said nothing. It stopped because of “{result?.stopReason}”.</p>}
      {result === undefined && tools.map((name, index) => <p key={`${name} ${String(index)}`} className="text-sm text-text-2">Calls {name}…</p>)}
      {result?.toolCalls.map((call) => (
        <div key={call.id} className="flex min-w-0 flex-col gap-1">
          <p className="text-sm font-medium">Calls {call.name}</p>
          <JsonValue value={parsed(call.arguments)} label={`Arguments of ${call.name}`} />
        </div>
      ))}
      {error !== undefined && <Failure error={error} />}
      {result?.traceId !== null && result?.traceId !== undefined && <TraceLink traceId={result.traceId} />}
    </section>
  );
}

function Figures({ result: { latencyMs, timeToFirstTokenMs, usageDetails, cost, model } }: { result: NonNullable<Run["result"]> }) {
  const first = timeToFirstTokenMs === null ? "" : `, first word after ${formatDuration(timeToFirstTokenMs)}`;
  return (
    <span className="flex flex-wrap gap-x-3 text-xs text-text-2">
      <span title={`${formatDuration(latencyMs)}${first}`}>{formatDuration(latencyMs)}</span>
      <span><Tokens count={usageDetails?.total} /> tokens</span>
      <span>{cost === null ? "No price known" : <Money amount={cost} />}</span>
      <span className="break-all">{model}</span>
    </span>
  );
}

/** What the provider or this server says. It is about the question, so the words for answers of this server do not fit. */
function Failure({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.status === 401 || error.status === 403) return <ErrorState error={error} compact className="p-0!" />;
  return (
    <div role="alert" className="flex flex-col gap-1 text-sm">
      <p className="break-words text-danger">{error.message}</p>
      {error.requestId !== undefined && <p className="flex items-center gap-1 text-xs text-text-3">Request <Id value={error.requestId} label="request id" /></p>}
    </div>
  );
}

function TraceLink({ traceId }: { traceId: string }) {
  const project = useProject();
  return <Link to="/project/$projectId/traces/$traceId" params={{ projectId: project.id, traceId }} className="inline-flex min-h-6 items-center self-start text-xs text-accent hover:underline">Open the trace</Link>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
