import { useState } from "react";
import { useProject } from "@/shared/api/project";
import { formatNumberOf } from "@/shared/lib/format";
import { Checkbox } from "@/shared/ui/Checkbox";
import { RadioGroup } from "@/shared/ui/Radio";
import { exportRows } from "./bulk";
import { BulkDialog, type BulkTarget } from "./BulkDialog";
import { download } from "@/shared/lib/download";
import { useBulkJob } from "./useBulkJob";

/** Saves rows as a file. */
export function ExportDialog({ chosen, count, words, onClose, fields, name }: BulkTarget & { fields: string; name: string }) {
  const project = useProject();
  const job = useBulkJob(onClose);
  const [format, setFormat] = useState<"csv" | "jsonl">("csv");
  const [texts, setTexts] = useState(false);
  return (
    <BulkDialog
      title="Export" description={`Saves ${words} as a file, with what the shown columns need.`} action="Export" counting="Rows read" total={count} job={job} onClose={onClose}
      run={async (progress, signal) => {
        const { blob, rows } = await exportRows(project, chosen, { format, fields, texts }, progress, signal);
        download(blob, `${name}.${format}`);
        return `Exported ${formatNumberOf(rows, "row")}`;
      }}
    >
      <RadioGroup
        label="Format" value={format} onChange={setFormat}
        options={[{ value: "csv", label: "CSV", hint: "For spreadsheets: one line for each row, without metadata." }, { value: "jsonl", label: "JSON lines", hint: "For scripts: every row as the API gives it." }]}
      />
      <Checkbox checked={texts} onChange={setTexts} hint="They can be large: this takes longer.">Inputs and outputs, too</Checkbox>
    </BulkDialog>
  );
}
