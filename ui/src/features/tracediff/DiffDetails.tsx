import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useProject } from "@/shared/api/project";
import { DiffView } from "@/shared/code/DiffView";
import { compareConversations, type MessagePair } from "@/shared/chat/compare";
import { WordDiff } from "@/shared/diff/WordDiff";
import { pretty } from "@/shared/json/raw";
import { formatDuration, formatTokens } from "@/shared/lib/format";
import { formatMoney } from "@/shared/lib/money";
import { readText, type ReadText } from "@/shared/trace/details/formats";
import { type Part, partQuery } from "@/shared/trace/details/readPart";
import type { TraceRows } from "@/shared/trace/rows";
import { ofProject } from "@/shared/trace/source";
import { Banner } from "@/shared/ui/Banner";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Skeleton } from "@/shared/ui/Skeleton";
import { TypeBadge } from "@/shared/ui/TypeIcon";
import { nameOf, typeOf } from "./columns";
import { costOf, durationOf, type Pair, type Place, tokensOf } from "./places";

/** The two rows of a place: figures side by side, and what their texts say differently. */
export function DiffDetails({ pair, place }: { pair: Pair; place: Place }) {
  const [time, tokens, cost] = [durationOf(pair, place), tokensOf(pair, place), costOf(pair, place)];
  return (
    <div className="flex min-h-0 flex-col gap-3 overflow-auto p-3">
      <div className="flex min-w-0 items-center gap-2"><h2 className="min-w-0 truncate text-lg font-semibold">{nameOf(pair, place)}</h2><TypeBadge type={typeOf(pair, place)} /></div>
      <table className="w-full text-xs">
        <caption className="sr-only">Figures of both</caption>
        <thead><tr className="text-left text-text-2"><th scope="col" className="font-medium">Figure</th><th scope="col" className="font-medium"><OpenLink rows={pair.a} row={place.left} label="A" /></th><th scope="col" className="font-medium"><OpenLink rows={pair.b} row={place.right} label="B" /></th></tr></thead>
        <tbody>
          <Row name="Latency" before={formatDuration(time.before)} after={formatDuration(time.after)} />
          <Row name="Tokens" before={formatTokens(tokens.before)} after={formatTokens(tokens.after)} />
          <Row name="Cost" before={formatMoney(cost.before)} after={formatMoney(cost.after)} />
          <Row name="Model" before={place.left < 0 ? "–" : (pair.a.modelOf(place.left) ?? "–")} after={place.right < 0 ? "–" : (pair.b.modelOf(place.right) ?? "–")} />
        </tbody>
      </table>
      {(["input", "output"] as const).map((part) => <PartDiff key={`${place.key} ${part}`} pair={pair} place={place} part={part} />)}
    </div>
  );
}

function Row({ name, before, after }: { name: string; before: string; after: string }) {
  return <tr className="border-t border-line"><th scope="row" className="py-1 text-left font-normal text-text-3">{name}</th><td className="py-1">{before}</td><td className="py-1">{after}</td></tr>;
}

/** Opens a row in its own trace. */
function OpenLink({ rows, row, label }: { rows: TraceRows; row: number; label: string }) {
  const { id: projectId } = useProject();
  if (row < 0) return <>{label}, not there</>;
  return <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: rows.head.id }} search={{ observation: rows.ids.at(row) } as never} className="inline-flex min-h-6 items-center text-accent hover:underline">Open in {label}</Link>;
}

const titles: Record<string, string> = { input: "Input", output: "Output" };

function PartDiff({ pair: { a, b }, place: { left, right }, part }: { pair: Pair; place: Place; part: Part }) {
  const { id } = useProject();
  const ask = (rows: TraceRows, row: number) => ({ ...partQuery(ofProject(id, rows.head.id), row < 0 ? "" : rows.ids.at(row), part, false), enabled: row >= 0 });
  const before = useQuery(ask(a, left));
  const after = useQuery(ask(b, right));
  const error = before.error ?? after.error;
  const waiting = (left >= 0 && before.data === undefined) || (right >= 0 && after.data === undefined);
  const cut = [before.data, after.data].some((data) => data !== undefined && data.size > data.bytes.length);
  return (
    <section aria-label={titles[part]} className="rounded-lg border border-line">
      <h3 className="flex min-h-8 items-center border-b border-line px-3 text-2xs font-semibold text-text-2">{titles[part]}</h3>
      {error !== null && <ErrorState compact error={error} onRetry={() => void Promise.all([before.refetch(), after.refetch()])} />}
      {error === null && waiting && <div className="p-3"><Skeleton className="w-3/4" /></div>}
      {error === null && !waiting && <Texts before={before.data?.bytes ?? nothing} after={after.data?.bytes ?? nothing} />}
      {cut && <Banner tone="warn" className="m-2">Only the first megabyte of each is compared.</Banner>}
    </section>
  );
}

const nothing = new Uint8Array();
/** Above this a word diff is no help to anybody, and lines are compared instead. */
const longest = 30_000;

function Texts({ before, after }: { before: Uint8Array; after: Uint8Array }) {
  const read = useMemo(() => [readText(before), readText(after)] as const, [before, after]);
  const pairs = useMemo(() => conversationPairs(...read, before.length > 0, after.length > 0), [read, before, after]);
  const [was, is] = [textOf(read[0], before), textOf(read[1], after)];
  if (was === is) return <p className="px-3 py-2 text-xs text-text-3">{was === "" ? "Nothing in both." : "The same in both."}</p>;
  if (pairs !== null) return <Messages pairs={pairs} />;
  if (was.length + is.length > longest) return <div className="p-2"><DiffView before={was} after={is} language={read[0].isJson && read[1].isJson ? "json" : "text"} beforeLabel="A" afterLabel="B" layout="unified" /></div>;
  return <div className="px-3 py-2 font-mono text-xs"><WordDiff before={was} after={is} /></div>;
}

function textOf(read: ReadText, bytes: Uint8Array): string {
  return read.text ?? pretty(new TextDecoder().decode(bytes));
}

/** Both are conversations, or one is and there is no other. */
function conversationPairs(before: ReadText, after: ReadText, hasBefore: boolean, hasAfter: boolean): MessagePair[] | null {
  if ((hasBefore && before.messages === null) || (hasAfter && after.messages === null)) return null;
  return compareConversations(before.messages ?? [], after.messages ?? []);
}

const roles = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" };

function Messages({ pairs }: { pairs: MessagePair[] }) {
  return (
    <ol className="flex flex-col gap-2 p-2">
      {pairs.map(({ role, before, after }, at) => {
        const same = before === after;
        const state = same ? "the same in both" : before === undefined ? "only in B" : after === undefined ? "only in A" : "changed";
        return (
          <li key={at} className="rounded-md border border-line bg-raised">
            <h4 className="flex gap-2 border-b border-line px-3 py-1 text-xs font-semibold">{roles[role]}<span className="font-normal text-text-3">{state}</span></h4>
            <div className="px-3 py-2 text-sm">{same ? <p className="line-clamp-2 text-text-3">{before}</p> : (before?.length ?? 0) + (after?.length ?? 0) > longest ? <DiffView before={before ?? ""} after={after ?? ""} language="text" layout="unified" /> : <WordDiff before={before ?? ""} after={after ?? ""} />}</div>
          </li>
        );
      })}
    </ol>
  );
}
