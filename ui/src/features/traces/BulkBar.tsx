import { useMutation, useQuery } from "@tanstack/react-query";
import { Database, Download, Trash2, X } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { describeError } from "@/shared/api/describeError";
import { formatCount } from "@/shared/lib/format";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button } from "@/shared/ui/Button";
import { Combobox } from "@/shared/ui/Combobox";
import { Dialog } from "@/shared/ui/Dialog";
import { IconButton } from "@/shared/ui/IconButton";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";
import { addToDataset, type Chosen, deleteTraces, exportRows, maxDatasetItems, maxExport } from "./bulk";
import { download } from "./download";

export interface BulkBarProps {
  chosen: Chosen;
  /** How many are chosen; undefined: all that match, and nobody counted them. */
  count: number | undefined;
  fields: string;
  /** Chooses all that match; undefined when they are. */
  onAll: (() => void) | undefined;
  total: number | undefined;
  onClear: () => void;
  onDeleted: () => void;
}

/** What can be done to the chosen rows. */
export function BulkBar({ chosen, count, fields, onAll, total, onClear, onDeleted }: BulkBarProps) {
  const project = useProject();
  const toast = useToast();
  const [dialog, setDialog] = useState<"delete" | "dataset" | null>(null);
  const [done, setDone] = useState(0);
  const close = () => setDialog(null);
  const act = useMutation({
    mutationFn: async ({ run }: { run: (signal: AbortSignal) => Promise<string> }) => run(new AbortController().signal),
    onMutate: () => setDone(0),
    onSuccess: (title) => (toast({ title }), close()),
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  const words = count === undefined ? "all matching rows" : `${formatCount(count)} ${count === 1 ? "row" : "rows"}`;
  const save = (format: "csv" | "jsonl") =>
    act.mutate({
      run: async (signal) => {
        const { blob, rows } = await exportRows(project, chosen, format, fields, setDone, signal);
        download(blob, `observations.${format}`);
        return rows === maxExport ? `Exported the newest ${formatCount(rows)} rows. For more, copy the list as an API call.` : `Exported ${formatCount(rows)} rows`;
      },
    });
  return (
    <section aria-label="Selected rows" className="flex min-h-10 flex-wrap items-center gap-1 border-b border-line bg-selected px-3 py-1 text-xs">
      <span className="font-medium">{count === undefined ? "All matching rows selected" : `${words} selected`}</span>
      <LiveRegion>{act.isPending ? `${formatCount(done)} done` : `${words} selected`}</LiveRegion>
      {onAll !== undefined && <Button variant="ghost" className="text-accent!" onClick={onAll}>Select all {total === undefined ? "" : `${formatCount(total)} `}matching</Button>}
      <span className="flex-1" />
      {act.isPending && <span className="text-text-2">{formatCount(done)} done…</span>}
      {allows(project.role, "MEMBER") && <Button variant="ghost" icon={Database} busy={act.isPending} onClick={() => setDialog("dataset")}>Add to dataset</Button>}
      <Menu trigger={<Button variant="ghost" icon={Download} busy={act.isPending}>Export</Button>}>
        <MenuItem onSelect={() => save("csv")}>CSV</MenuItem>
        <MenuItem onSelect={() => save("jsonl")}>JSON lines</MenuItem>
      </Menu>
      {allows(project.role, "ADMIN") && <Button variant="ghost" icon={Trash2} className="text-danger!" busy={act.isPending} onClick={() => setDialog("delete")}>Delete traces</Button>}
      <IconButton icon={X} label="Clear selection" onClick={onClear} />
      <AlertDialog
        open={dialog === "delete"} onOpenChange={close} title="Delete traces" action="Delete traces" confirmText={count === undefined ? "delete all matching" : `delete ${count}`} busy={act.isPending}
        description={<>The traces of {words} go with all their observations, their scores, comments, and media that nothing else uses. This cannot be undone.</>}
        onConfirm={() =>
          act.mutate({
            run: async (signal) => {
              const traces = await deleteTraces(project, chosen, setDone, signal);
              onDeleted();
              return `Deleted ${formatCount(traces)} ${traces === 1 ? "trace" : "traces"}`;
            },
          })
        }
      />
      {dialog === "dataset" && (
        <DatasetDialog
          words={words} busy={act.isPending} onClose={close}
          onPick={(name) => act.mutate({ run: async (signal) => `Added ${formatCount(await addToDataset(project, chosen, name, setDone, signal))} items to ${name}` })}
        />
      )}
    </section>
  );
}

function DatasetDialog({ words, busy, onClose, onPick }: { words: string; busy: boolean; onClose: () => void; onPick: (name: string) => void }) {
  const { api, id } = useProject();
  const [name, setName] = useState<string>();
  const datasets = useQuery({ queryKey: ["datasets", id], queryFn: async ({ signal }) => (await api.GET("/api/public/v2/datasets", { params: { query: { limit: "100" } }, signal })).data?.data ?? [] });
  return (
    <Dialog
      open onOpenChange={onClose} title="Add to dataset" description={`Input and output of ${words} become input and expected output of new items, at most ${formatCount(maxDatasetItems)}.`}
      footer={<><Button onClick={onClose}>Cancel</Button><Button variant="primary" busy={busy} disabled={name === undefined} onClick={() => name !== undefined && onPick(name)}>Add</Button></>}
    >
      <Combobox label="Dataset" value={name} onChange={setName} options={(datasets.data ?? []).map((dataset) => ({ value: dataset.name, label: dataset.name }))} error={datasets.error ? describeError(datasets.error).message : undefined} />
    </Dialog>
  );
}
