import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useProject } from "@/shared/api/project";
import { MessageCard } from "@/shared/chat/MessageCard";
import { threaded } from "@/shared/chat/thread";
import { partQuery } from "@/shared/trace/details/readPart";
import { ofProject } from "@/shared/trace/source";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Skeleton } from "@/shared/ui/Skeleton";
import type { Preview } from "./api";
import { answered, asked } from "./said";
import type { Turn } from "./turns";

interface TurnTextProps {
  turn: Turn;
  part: "input" | "output";
  preview: Preview;
}

/** What was asked or answered in a turn. A text that is longer than its preview is read by a request of its own. */
export function TurnText({ turn, part, preview }: TurnTextProps) {
  const project = useProject();
  const longer = part === "input" ? preview.inputMore : preview.outputMore;
  const { data, error, refetch } = useQuery({ ...partQuery(ofProject(project.id, turn.traceId), turn.id, part, false), enabled: longer });
  const text = longer ? data && new TextDecoder().decode(data.bytes) : (preview[part] ?? "");
  const said = useMemo(() => (text === undefined ? undefined : (part === "input" ? asked : answered)(text)), [text, part]);
  if (error !== null) return <ErrorState compact error={error} onRetry={() => void refetch()} />;
  if (said === undefined) return <div className="flex flex-col gap-2 rounded-md border border-line p-3"><Skeleton className="w-3/4" /><Skeleton className="w-1/2" /></div>;
  return (
    <>
      {threaded(said.messages).map((message) => <MessageCard key={message.place} turn={message} />)}
      {said.cut && <p className="text-xs text-text-3">Only the beginning is shown; the trace has all of it.</p>}
    </>
  );
}
