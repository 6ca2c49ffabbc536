import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { download } from "@/shared/lib/download";
import { formatNumberOf } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ProgressBar } from "@/shared/ui/ProgressBar";
import { RadioGroup } from "@/shared/ui/Radio";
import { useToast } from "@/shared/ui/Toast";
import type { Dataset } from "./api";
import { exportItems, type ExportFormat } from "./export";

const formats = [
  { value: "jsonl", label: "JSONL", hint: "A line of JSON for each item." },
  { value: "csv", label: "CSV", hint: "For spreadsheets; inputs and outputs are JSON in their cells." },
] as const;

/** Saves the active items of a dataset as a file, as they are or as the page shows them. */
export function ExportDialog({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const project = useProject();
  const toast = useToast();
  const [version] = useUrlState("version");
  const [format, setFormat] = useState<ExportFormat>("jsonl");
  const [progress, setProgress] = useState({ done: 0, total: 0 });
  const running = useRef(new AbortController());
  const run = useMutation({
    mutationFn: async () => {
      running.current = new AbortController();
      // One moment for all pages: what is written meanwhile moves none of them.
      const at = version === "" ? new Date().toISOString() : version;
      const blob = await exportItems(project, dataset.name, at, format, (done, total) => setProgress({ done, total }), running.current.signal);
      download(blob, `${dataset.name.replaceAll("/", "-")}.${format}`);
    },
    onSuccess: () => (toast({ title: `Exported ${dataset.name}` }), onClose()),
  });
  const stop = () => (running.current.abort(), onClose());
  return (
    <Dialog
      open onOpenChange={stop} title="Export items"
      description={`${version === "" ? formatNumberOf(dataset.activeItems, "active item") : "The items of the version that is shown"} of ${dataset.name}. Archived ones stay here.`}
      footer={<><Button onClick={stop}>Cancel</Button><Button variant="primary" busy={run.isPending} onClick={() => run.mutate()}>Export</Button></>}
    >
      <div className="flex flex-col gap-4">
        {run.error !== null && <Banner tone="danger">{describeError(run.error).message}</Banner>}
        <RadioGroup label="Format" value={format} onChange={setFormat} options={formats} />
        {run.isPending && <ProgressBar label="Items read" done={progress.done} total={progress.total || undefined} />}
      </div>
    </Dialog>
  );
}
