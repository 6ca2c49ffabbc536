import { Bot, ChevronDown, ChevronRight, type LucideIcon, Settings2, User, Wrench } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Markdown } from "@/shared/markdown/Markdown";
import { Badge } from "@/shared/ui/Badge";
import { CopyButton } from "@/shared/ui/CopyButton";
import { JsonValue } from "./JsonValue";
import { MediaChip } from "./MediaChip";
import type { Role } from "./message";
import type { ShownPart, Turn } from "./thread";

const speakers: Record<Role, { icon: LucideIcon; label: string; tone: string }> = {
  system: { icon: Settings2, label: "System", tone: "text-text-2" },
  user: { icon: User, label: "User", tone: "text-chain" },
  assistant: { icon: Bot, label: "Assistant", tone: "text-generation" },
  tool: { icon: Wrench, label: "Tool", tone: "text-tool" },
};

/** Above this a system prompt is folded: it is the same in every call. */
const longPrompt = 400;

/** One turn. What was only thought, and long instructions, are folded; calls where they are told of elsewhere, too. */
export function MessageCard({ turn, foldCalls = false }: { turn: Turn; foldCalls?: boolean }) {
  const { icon: Icon, label, tone } = speakers[turn.role];
  const said = turn.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
  const body = <div className="flex flex-col gap-2 px-3 py-2">{turn.parts.map((part, index) => <ShownPartView key={index} part={part} foldCalls={foldCalls} />)}</div>;
  return (
    <article aria-label={turn.name === undefined ? label : `${label} ${turn.name}`} className="rounded-md border border-line bg-raised">
      <header className="flex min-h-8 items-center gap-1.5 border-b border-line pr-1 pl-3">
        <Icon size={14} aria-hidden className={tone} />
        <h4 className="text-xs font-semibold">{label}</h4>
        {turn.name !== undefined && <span className="truncate text-xs text-text-3">{turn.name}</span>}
        <span className="flex-1" />
        {said !== "" && <CopyButton text={said} label={`Copy what the ${label.toLowerCase()} said`} />}
      </header>
      {turn.parts.length === 0 && <p className="px-3 py-2 text-xs text-text-3">Said nothing.</p>}
      {turn.role === "system" && said.length > longPrompt ? <Folded label={`${said.slice(0, 120)}…`}>{body}</Folded> : turn.parts.length > 0 && body}
    </article>
  );
}

function ShownPartView({ part, foldCalls }: { part: ShownPart; foldCalls: boolean }) {
  switch (part.kind) {
    case "text":
      return <Markdown text={part.text} />;
    case "reasoning":
      return <Folded label="Reasoning"><p className="px-3 py-2 text-sm break-words whitespace-pre-wrap text-text-2">{part.text}</p></Folded>;
    case "call":
      return foldCalls ? <Folded label={`Calls ${part.name}`}><CallCard part={part} /></Folded> : <CallCard part={part} />;
    case "result":
      return <JsonValue value={part.value} label={`Result${part.name === undefined ? "" : ` of ${part.name}`}`} />;
    case "media":
      return <MediaChip type={part.type} source={part.source} />;
    default:
      return <JsonValue value={part.value} label="A part of another kind" />;
  }
}

function CallCard({ part }: { part: Extract<ShownPart, { kind: "call" }> }) {
  return (
    <section aria-label={`Call of ${part.name}`} className="rounded-md border border-line">
      <h5 className="flex items-center gap-1.5 px-2 py-1 text-xs font-medium">
        <Wrench size={12} aria-hidden className="text-tool" />
        {part.name}
        {part.result?.failed && <Badge tone="danger">failed</Badge>}
      </h5>
      <JsonValue value={part.arguments} label={`Arguments of ${part.name}`} />
      {part.result !== undefined && (
        <div className="border-t border-line">
          <p className="px-2 pt-1 text-2xs text-text-3">Result</p>
          <JsonValue value={part.result.value} label={`Result of ${part.name}`} />
        </div>
      )}
    </section>
  );
}

function Folded({ label, children }: { label: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const Caret = open ? ChevronDown : ChevronRight;
  return (
    <div>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className="flex min-h-6 w-full items-start gap-1 px-2 py-1 text-left text-xs text-text-2 hover:text-text">
        <Caret size={14} aria-hidden className="mt-px shrink-0" />
        <span className="min-w-0 break-words">{label}</span>
      </button>
      {open && children}
    </div>
  );
}
