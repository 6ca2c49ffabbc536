import { RotateCw } from "lucide-react";
import { useState } from "react";
import { formatCount } from "@/shared/lib/format";
import type { LoadedTrace } from "@/shared/trace/loadTrace";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";

interface TraceNoticesProps {
  loaded: LoadedTrace;
  error: unknown;
  onRetry: () => void;
}

/** What is odd about the trace on screen. */
export function TraceNotices({ loaded, error, onRetry }: TraceNoticesProps) {
  const { head } = loaded.rows;
  const [closed, setClosed] = useState<readonly string[]>([]);
  const notices = [
    head.roots > 1 && `This trace has ${formatCount(head.roots)} roots. Observations of one request should hang below one root: the application probably lost its context between them.`,
    head.detached > 0 && `${formatCount(head.detached)} observations name a parent that is not in this trace. They are shown below a row of their own; the parent may not have been sent yet, or belongs to another project.`,
  ].filter((notice) => notice !== false && !closed.includes(notice));
  return (
    <div className="flex shrink-0 flex-col gap-1 empty:hidden [&:not(:empty)]:p-2">
      {error !== null && (
        <Banner tone="warn" actions={<Button icon={RotateCw} onClick={onRetry}>Try again</Button>}>
          {loaded.complete ? "The trace could not be read anew; this is how it was." : `The answer was cut off: ${formatCount(loaded.length)} of ${formatCount(head.rows)} rows are here.`}
        </Banner>
      )}
      {notices.map((notice) => <Banner key={String(notice)} tone="warn" onClose={() => setClosed([...closed, String(notice)])}>{notice}</Banner>)}
    </div>
  );
}
