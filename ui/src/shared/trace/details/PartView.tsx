import { useMemo } from "react";
import { Conversation } from "@/shared/chat/Conversation";
import { JsonView } from "@/shared/json/JsonView";
import { formatBytes } from "@/shared/lib/format";
import { Markdown } from "@/shared/markdown/Markdown";
import type { Format, ReadText } from "./formats";

/** A text in one of its forms. */
export function PartView({ read, bytes, format, label }: { read: ReadText; bytes: Uint8Array; format: Format; label: string }) {
  if (format === "chat" && read.messages !== null) return <Conversation messages={read.messages} />;
  if (format === "text" && read.text !== null) return <div className="px-3 py-2"><Markdown text={read.text} /></div>;
  if (format === "json") return <JsonView bytes={bytes} label={label} />;
  return <Raw bytes={bytes} />;
}

/** More than this in one element stops the page. */
const longestRaw = 500_000;

function Raw({ bytes }: { bytes: Uint8Array }) {
  const text = useMemo(() => new TextDecoder().decode(bytes.subarray(0, longestRaw)), [bytes]);
  return (
    <>
      <pre className="px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap">{text}</pre>
      {bytes.length > longestRaw && <p className="border-t border-line px-3 py-1.5 text-xs text-text-2">{formatBytes(bytes.length - longestRaw)} more; the JSON form shows all of it.</p>}
    </>
  );
}
