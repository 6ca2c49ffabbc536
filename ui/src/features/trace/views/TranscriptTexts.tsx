import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Conversation } from "@/shared/chat/Conversation";
import type { Message } from "@/shared/chat/message";
import { formatsOf, readText } from "@/shared/trace/details/formats";
import { PartView } from "@/shared/trace/details/PartView";
import { type Part, type PartBytes, partQuery } from "@/shared/trace/details/readPart";
import type { TraceSource } from "@/shared/trace/source";
import { newMessages } from "@/shared/trace/transcript";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Skeleton } from "@/shared/ui/Skeleton";

interface TextsProps {
  source: TraceSource;
  observationId: string;
  resting: boolean;
}

/** A text of an observation, read once nobody scrolls. */
function usePart({ source, observationId, resting }: TextsProps, part: Part) {
  return useQuery({ ...partQuery(source, observationId, part, false), enabled: resting });
}

/** What a model was newly told, and what it said. */
export function SaidTexts({ opening, failed, ...texts }: TextsProps & { opening: boolean; failed: boolean }) {
  const input = usePart(texts, "input");
  const output = usePart(texts, "output");
  const messages = useMemo(() => {
    if (input.data === undefined || output.data === undefined) return null;
    return [...newMessages(messagesOf(input.data, "user"), opening), ...messagesOf(output.data, "assistant")];
  }, [input.data, output.data, opening]);
  const error = input.error ?? output.error;
  if (error !== null) return <ErrorState compact error={error} onRetry={() => void Promise.all([input.refetch(), output.refetch()])} />;
  if (messages === null) return <Pending />;
  return (
    <>
      {messages.length > 0 && <Conversation messages={messages} foldCalls />}
      {output.data?.bytes.length === 0 && <p className="px-3 pb-2 text-xs text-text-3">{failed ? "It failed and gave no answer." : "It gave no answer."}</p>}
    </>
  );
}

/** What a text says, whatever it is: anything that is no conversation is one message. */
function messagesOf({ bytes, size }: PartBytes, role: Message["role"]): Message[] {
  if (bytes.length === 0) return [];
  const { messages, text } = readText(bytes);
  if (messages !== null) return messages;
  if (text === null) return [{ role, parts: [{ kind: "other", value: JSON.parse(new TextDecoder().decode(bytes)) as unknown }] }];
  return [{ role, parts: [{ kind: "text", text: size > bytes.length || text.length > longest ? `${text.slice(0, longest)} …` : text }] }];
}

/** A longer text is for the details. */
const longest = 4000;

/** What a step was given, and what it gave. */
export function StepTexts(texts: TextsProps) {
  return (
    <div className="flex flex-col gap-2 px-3 pb-2">
      <StepText {...texts} part="input" label="Given" />
      <StepText {...texts} part="output" label="Gave" />
    </div>
  );
}

function StepText({ part, label, ...texts }: TextsProps & { part: Part; label: string }) {
  const { data, error, refetch } = usePart(texts, part);
  return (
    <section aria-label={label} className="rounded-md border border-line">
      <h4 className="px-2 pt-1 text-2xs text-text-3">{label}</h4>
      {error !== null && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Pending /> : <Whole data={data} label={label} />}
    </section>
  );
}

function Whole({ data, label }: { data: PartBytes; label: string }) {
  const read = useMemo(() => readText(data.bytes), [data]);
  if (data.bytes.length === 0) return <p className="px-2 pb-1 text-xs text-text-3">Nothing.</p>;
  return <PartView read={read} bytes={data.bytes} format={formatsOf(read)[0]!.value} label={label} />;
}

function Pending() {
  return <div className="flex flex-col gap-2 px-3 py-2"><Skeleton className="w-3/4" /><Skeleton className="w-1/2" /></div>;
}
