import { Bot, CircleDot, Fan, Gavel, Layers, Link, type LucideIcon, MoveHorizontal, Search, Shield, Wrench } from "lucide-react";
import { cx } from "@/shared/lib/classes";

interface TypeLook {
  icon: LucideIcon;
  /** The token of its colour. */
  token: string;
  text: string;
  bar: string;
}

const look = (icon: LucideIcon, token: string, text: string, bar: string): TypeLook => ({ icon, token, text, bar });

/** Icon and colour of every type of observation. Shape comes along with colour, always. */
export const typeLooks: Record<string, TypeLook> = {
  GENERATION: look(Fan, "generation", "text-generation", "bg-generation"),
  AGENT: look(Bot, "agent", "text-agent", "bg-agent"),
  CHAIN: look(Link, "chain", "text-chain", "bg-chain"),
  EVALUATOR: look(Gavel, "evaluator", "text-evaluator", "bg-evaluator"),
  RETRIEVER: look(Search, "retriever", "text-retriever", "bg-retriever"),
  EMBEDDING: look(Layers, "embedding", "text-embedding", "bg-embedding"),
  GUARDRAIL: look(Shield, "guardrail", "text-guardrail", "bg-guardrail"),
  TOOL: look(Wrench, "tool", "text-tool", "bg-tool"),
  SPAN: look(MoveHorizontal, "span", "text-span", "bg-span"),
  EVENT: look(CircleDot, "event", "text-event", "bg-event"),
};

const fallback = typeLooks.SPAN as TypeLook;

/** A type that this version does not know looks like a span. */
export function typeLook(type: string): TypeLook {
  return typeLooks[type] ?? fallback;
}

export interface TypeIconProps {
  type: string;
  size?: number;
  /** Its name is read out; false where the word stands beside it. */
  named?: boolean;
  className?: string;
}

export function TypeIcon({ type, size = 14, named = true, className }: TypeIconProps) {
  const { icon: Icon, text } = typeLook(type);
  return (
    <span className={cx("inline-flex shrink-0", text, className)} title={named ? type : undefined}>
      <Icon size={size} aria-hidden />
      {named && <span className="sr-only">{type}</span>}
    </span>
  );
}

export function TypeBadge({ type }: { type: string }) {
  return (
    <span className={cx("inline-flex h-5 items-center gap-1 rounded-sm border border-current px-1.5 text-2xs font-medium", typeLook(type).text)}>
      <TypeIcon type={type} size={12} named={false} />
      {type}
    </span>
  );
}
