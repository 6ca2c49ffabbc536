import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { basePath } from "@/shared/api/client";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import { Combobox } from "@/shared/ui/Combobox";
import { addToQueue, maxItems } from "./bulk";
import { BulkDialog, type BulkTarget } from "./BulkDialog";
import type { TableName } from "./listState";
import { useBulkJob } from "./useBulkJob";

/** Puts rows into an annotation queue, for people to review. */
export function QueueDialog({ chosen, count, words, onClose, table }: BulkTarget & { table: TableName }) {
  const project = useProject();
  const job = useBulkJob(onClose);
  const queues = useQuery({
    queryKey: ["annotation-queues", project.id],
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/annotation-queues", { params: { query: { limit: "100" } }, signal })).data?.data ?? [],
  });
  const [id, setId] = useState<string>();
  const queue = queues.data?.find((one) => one.id === id);
  return (
    <BulkDialog
      title="Add to annotation queue" description={`People then review ${table === "traces" ? "the traces of " : ""}${words} one after the other${(count ?? maxItems + 1) > maxItems ? `, of the newest ${formatCount(maxItems)} rows` : ""}.`}
      action="Add" counting="Items added" total={count && Math.min(count, maxItems)} job={job} onClose={onClose}
      run={queue === undefined ? undefined : async (progress, signal) => `Added ${formatNumberOf(await addToQueue(project, chosen, queue.id, table === "traces", progress, signal), "item")} to ${queue.name}`}
    >
      {queues.data?.length === 0 ? (
        <p className="text-sm text-text-2">
          This project has no annotation queue yet. Make one with <code className="font-mono text-xs text-text">POST /api/public/annotation-queues</code>, see the <a className="text-accent underline" href={`${basePath}/api/docs`}>API reference</a>.
        </p>
      ) : (
        <Combobox label="Queue" value={id} onChange={setId} options={(queues.data ?? []).map((one) => ({ value: one.id, label: one.name }))} error={queues.error ? describeError(queues.error).message : undefined} />
      )}
    </BulkDialog>
  );
}
