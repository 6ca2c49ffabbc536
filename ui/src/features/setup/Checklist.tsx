import { Circle, CircleCheck, CircleDotDashed } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import type { Progress } from "./progress";

interface Step {
  title: string;
  /** What is known of it once it is done. */
  done: ReactNode | null;
  /** What it waits for. */
  waiting: string;
}

/** How far the first trace has come. */
export function Checklist({ progress }: { progress: Progress }) {
  const steps = stepsOf(progress);
  const next = steps.findIndex(({ done }) => done === null);
  const reached = next === -1 ? steps.length : next;
  return (
    <>
      <ol className="flex flex-col">
        {steps.map(({ title, done, waiting }, index) => {
          const state = done !== null ? "done" : index === next ? "waiting" : "to do";
          return (
            <li key={title} aria-current={state === "waiting" ? "step" : undefined} className="flex gap-2.5 border-b border-line py-2.5 last:border-b-0">
              <StepIcon state={state} />
              <div className="min-w-0 flex-1">
                <p className={cx("text-sm", state === "to do" ? "text-text-2" : "font-medium")}>{title}<span className="sr-only">, {state}</span></p>
                <p className="text-xs break-words text-text-2">{done ?? (state === "waiting" ? waiting : "")}</p>
              </div>
            </li>
          );
        })}
      </ol>
      <LiveRegion>{reached === 0 ? "" : `${reached} of ${steps.length} steps done: ${steps[reached - 1]!.title}`}</LiveRegion>
    </>
  );
}

function StepIcon({ state }: { state: "done" | "waiting" | "to do" }) {
  if (state === "done") return <CircleCheck size={18} aria-hidden className="mt-px shrink-0 text-ok" />;
  if (state === "waiting") return <CircleDotDashed size={18} aria-hidden className="mt-px shrink-0 animate-[spin_4s_linear_infinite] text-accent" />;
  return <Circle size={18} aria-hidden className="mt-px shrink-0 text-text-3" />;
}

function stepsOf({ key, seen, accepted, trace }: Progress): Step[] {
  return [
    { title: "Key created", waiting: "Create one, or ask an admin for one.", done: key && <><code className="font-mono break-all">{key.publicKey}</code>{key.createdAt !== null && <>, <RelativeTime value={key.createdAt} /></>}</> },
    { title: "Key seen", waiting: "No request with the key came yet.", done: seen && <><RelativeTime value={seen.at} />{seen.sdk !== null && `, from ${seen.sdk}`}</> },
    { title: "Spans accepted", waiting: "The key is right. No span came with it yet.", done: accepted && acceptedText(accepted) },
    { title: "First trace readable", waiting: "It takes about a second from acceptance.", done: trace && trace.name },
  ];
}

function acceptedText({ spans, requests }: NonNullable<Progress["accepted"]>): string {
  if (spans === null) return "Some time ago";
  return `${formatCount(spans)} ${spans === 1 ? "span" : "spans"} in ${formatCount(requests)} ${requests === 1 ? "request" : "requests"}`;
}
