import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronRight, Wrench } from "lucide-react";
import { useId, useState } from "react";
import { useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import { Duration } from "@/shared/ui/Figures";
import { ErrorState } from "@/shared/ui/ErrorState";
import { LevelIcon } from "@/shared/ui/LevelIcon";
import { Skeleton } from "@/shared/ui/Skeleton";
import { loadToolCalls, type TurnContent } from "./api";

/** The tools that a turn called, folded: how often each; opened, every call with the way to it. */
export function ToolCalls({ traceId, tools }: { traceId: string; tools: TurnContent["tools"] }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  if (calls === 0) return null;
  const Caret = open ? ChevronDown : ChevronRight;
  return (
    <div className="rounded-md border border-line">
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)} className="flex min-h-8 w-full items-center gap-1.5 px-2 py-1 text-left text-xs text-text-2 hover:text-text pointer-coarse:min-h-11">
        <Caret size={14} aria-hidden className="shrink-0" />
        <Wrench size={14} aria-hidden className="shrink-0 text-tool" />
        <span className="shrink-0 font-medium">{calls === 1 ? "1 tool call" : `${formatCount(calls)} tool calls`}</span>
        <span className="min-w-0 truncate text-text-3">{tools.map(({ name, calls: times }) => (times === 1 ? name : `${name} ×${times}`)).join(", ")}</span>
      </button>
      <div id={id}>{open && <Calls traceId={traceId} total={calls} />}</div>
    </div>
  );
}

function Calls({ traceId, total }: { traceId: string; total: number }) {
  const project = useProject();
  const { data, error, refetch } = useQuery({ queryKey: ["tool-calls", project.id, traceId], staleTime: 60_000, queryFn: ({ signal }) => loadToolCalls(project, traceId, signal) });
  if (error !== null) return <ErrorState compact error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <div className="p-2"><Skeleton className="w-1/2" /></div>;
  return (
    <>
      <ol className="border-t border-line">
        {data.map((call) => (
          <li key={call.id} className="flex min-h-7 items-center gap-2 px-3 text-xs pointer-coarse:min-h-11">
            <Link to="/project/$projectId/traces/$traceId" params={{ projectId: project.id, traceId }} search={{ observation: call.id } as never} className="inline-flex min-h-6 min-w-0 items-center text-accent hover:underline">
              <span className="truncate">{call.name || call.id}</span>
            </Link>
            <LevelIcon level={call.level ?? "DEFAULT"} />
            <span className="min-w-0 flex-1 truncate text-danger">{call.statusMessage}</span>
            <Duration ms={typeof call.latency === "number" ? call.latency * 1000 : null} className="shrink-0 text-text-2" />
          </li>
        ))}
      </ol>
      {total > data.length && <p className="border-t border-line px-3 py-1 text-2xs text-text-3">The last {formatCount(data.length)} of {formatCount(total)}; the trace has all of them.</p>}
    </>
  );
}
