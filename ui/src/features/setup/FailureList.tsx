import { CircleAlert } from "lucide-react";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import type { Failure } from "./failures";

/** What was sent and did not arrive. It is there when it is empty, so that new lines are read out. */
export function FailureList({ failures }: { failures: readonly Failure[] }) {
  return (
    <ul aria-label="What went wrong" aria-live="polite" className="flex flex-col gap-2 empty:hidden">
      {failures.map(({ at, what, advice }) => (
        <li key={what} className="flex gap-2 rounded-md bg-danger-bg p-2.5 text-sm">
          <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-danger" />
          <div className="min-w-0 flex-1 break-words">
            <p className="font-medium">{what}</p>
            <p className="text-text-2">{advice} <RelativeTime value={at} className="text-xs whitespace-nowrap" /></p>
          </div>
        </li>
      ))}
    </ul>
  );
}
