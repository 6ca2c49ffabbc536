import { useState } from "react";
import { ApiError } from "@/shared/api/errors";
import { useStoredNumber } from "@/shared/lib/preferences";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorBoundary } from "@/shared/ui/ErrorBoundary";
import { ErrorState } from "@/shared/ui/ErrorState";
import { ProgressBar } from "@/shared/ui/ProgressBar";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { Splitter } from "@/shared/ui/Splitter";
import { SweepBar } from "@/shared/ui/SweepBar";
import { Section } from "./Section";

const forbidden = new ApiError(403, "Deleting a trace needs the role ADMIN.", undefined, "NJ3LQ2M5XW7A");
const tooLong = new ApiError(504, "The query was stopped after 30 s.", undefined, "TK7V2C4Q9P1B");
const initialWidth = 240;

export function StateSection() {
  const [busy, setBusy] = useState(true);
  const [width, setWidth] = useStoredNumber("gallery.split", initialWidth);
  return (
    <Section title="States">
      <Banner>Times are shown in UTC.</Banner>
      <Banner tone="warn" actions={<Button onClick={() => undefined}>Show all</Button>} onClose={() => undefined}>This trace is cut: 50,000 of 61,204 observations are shown.</Banner>
      <Banner tone="danger">The export has failed for two days.</Banner>
      <div className="grid gap-4 md:grid-cols-2">
        <div className="rounded-md border border-line"><SweepBar busy={busy} /><SkeletonRows rows={4} /><Button className="m-2" onClick={() => setBusy(!busy)}>{busy ? "Rest" : "Refresh"}</Button></div>
        <div className="rounded-md border border-line"><EmptyState title="No traces in this range" actions={<Button>Last 7 days</Button>}>There are 1,204 in the last 7 days.</EmptyState></div>
        <div className="rounded-md border border-line"><ErrorState error={forbidden} compact /></div>
        <div className="rounded-md border border-line"><ErrorState error={tooLong} compact onRetry={() => undefined} /></div>
        <div className="rounded-md border border-line"><ErrorBoundary compact><Fragile /></ErrorBoundary></div>
      </div>
      <div className="grid gap-4 md:grid-cols-2"><ProgressBar label="Rows read" done={12_000} total={65_000} /><ProgressBar label="Traces deleted" done={2000} /></div>
      <div className="flex h-24 overflow-hidden rounded-md border border-line">
        <div className="min-w-0 flex-1 p-3">What is left.</div>
        <Splitter label="Details" controls="gallery-details" value={width} onChange={setWidth} min={120} max={360} initial={initialWidth} />
        <div id="gallery-details" className="bg-surface p-3" style={{ width }}>Details, {width} px</div>
      </div>
    </Section>
  );
}

function Fragile() {
  const [broken, setBroken] = useState(false);
  if (broken) throw new Error("this panel broke, the others stand");
  return <div className="p-3"><Button variant="danger" onClick={() => setBroken(true)}>Break this panel</Button></div>;
}
