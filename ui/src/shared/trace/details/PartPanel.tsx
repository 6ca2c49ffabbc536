import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { formatBytes } from "@/shared/lib/format";
import { Button } from "@/shared/ui/Button";
import { CopyButton } from "@/shared/ui/CopyButton";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { Skeleton } from "@/shared/ui/Skeleton";
import type { TraceSource } from "../source";
import { formatsOf, readText } from "./formats";
import { PartView } from "./PartView";
import { type Part, type PartBytes, partQuery } from "./readPart";

interface PartPanelProps {
  source: TraceSource;
  observationId: string;
  part: Part;
  /** The form that was chosen, if any. */
  format: string | undefined;
  onFormat: (format: string) => void;
}

const titles: Record<Part, string> = { input: "Input", output: "Output", metadata: "Metadata" };

/** One text of an observation in the form that suits it. */
export function PartPanel({ source, observationId, part, format, onFormat }: PartPanelProps) {
  const [whole, setWhole] = useState(false);
  const { data, error, refetch } = useQuery(partQuery(source, observationId, part, whole));
  return (
    <section aria-label={titles[part]} className="rounded-lg border border-line">
      {data === undefined || data.bytes.length === 0 ? <Header part={part} /> : <Loaded part={part} data={data} format={format} onFormat={onFormat} />}
      {error !== null && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <div className="flex flex-col gap-2 p-3"><Skeleton className="w-3/4" /><Skeleton className="w-1/2" /></div>}
      {data?.bytes.length === 0 && <p className="px-3 py-2 text-xs text-text-3">Nothing was sent.</p>}
      {data !== undefined && data.size > data.bytes.length && (
        <div className="flex items-center justify-between gap-2 border-t border-line bg-warn-bg px-3 py-1.5 text-xs">
          The first {formatBytes(data.bytes.length)} of {formatBytes(data.size)}.
          <Button onClick={() => setWhole(true)}>Load all of it</Button>
        </div>
      )}
    </section>
  );
}

function Header({ part, children }: { part: Part; children?: ReactNode }) {
  return (
    <header className="flex min-h-8 flex-wrap items-center justify-between gap-2 border-b border-line py-0.5 pr-1 pl-3">
      <h3 className="text-2xs font-semibold text-text-2">{titles[part]}</h3>
      {children}
    </header>
  );
}

/** Above this a text is copied by its bytes rather than kept as a string beside them. */
const copiedAtOnce = 2_000_000;

function Loaded({ part, data, format, onFormat }: { part: Part; data: PartBytes; format: string | undefined; onFormat: (format: string) => void }) {
  const read = useMemo(() => readText(data.bytes), [data]);
  const formats = formatsOf(read);
  const chosen = formats.find(({ value }) => value === format) ?? formats[0]!;
  return (
    <>
      <Header part={part}>
        <div className="flex items-center gap-1">
          {formats.length > 1 && <SegmentedControl label={`Form of the ${part}`} value={chosen.value} onChange={onFormat} segments={formats} />}
          {data.bytes.length <= copiedAtOnce && <CopyButton text={new TextDecoder().decode(data.bytes)} label={`Copy ${part}`} />}
        </div>
      </Header>
      <PartView read={read} bytes={data.bytes} format={chosen.value} label={titles[part]} />
    </>
  );
}
