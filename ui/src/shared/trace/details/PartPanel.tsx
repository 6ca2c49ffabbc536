import { useQuery } from "@tanstack/react-query";
import { formatBytes } from "@/shared/lib/format";
import { CopyButton } from "@/shared/ui/CopyButton";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Skeleton } from "@/shared/ui/Skeleton";
import { type Part, partQuery } from "./readPart";

interface PartPanelProps {
  projectId: string;
  traceId: string;
  observationId: string;
  part: Part;
}

const titles: Record<Part, string> = { input: "Input", output: "Output", metadata: "Metadata" };

/** One text of an observation, as it is stored. */
export function PartPanel({ projectId, traceId, observationId, part }: PartPanelProps) {
  const { data, error, refetch } = useQuery(partQuery(projectId, traceId, observationId, part));
  return (
    <section aria-label={titles[part]} className="rounded-lg border border-line">
      <header className="flex min-h-8 items-center justify-between gap-2 border-b border-line py-0.5 pr-1 pl-3">
        <h3 className="text-2xs font-semibold text-text-2">{titles[part]}</h3>
        {data !== undefined && data.text !== "" && <CopyButton text={data.text} label={`Copy ${part}`} />}
      </header>
      {error !== null && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <div className="flex flex-col gap-2 p-3"><Skeleton className="w-3/4" /><Skeleton className="w-1/2" /></div>}
      {data?.text === "" && <p className="px-3 py-2 text-xs text-text-3">Nothing was sent.</p>}
      {data !== undefined && data.text !== "" && <pre className="px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap">{data.text}</pre>}
      {data !== undefined && data.size > data.read && (
        <p className="border-t border-line bg-warn-bg px-3 py-1.5 text-xs">The first {formatBytes(data.read)} of {formatBytes(data.size)}.</p>
      )}
    </section>
  );
}
