import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { Combobox } from "@/shared/ui/Combobox";
import { Dialog } from "@/shared/ui/Dialog";
import { useToast } from "@/shared/ui/Toast";
import type { Named } from "../TraceActions";
import { type Subject, SubjectChoice } from "./SubjectChoice";

/** Puts the trace, or the chosen observation, into a queue that people review. */
export function QueueDialog({ traceId, chosen, onClose }: { traceId: string; chosen: Named | undefined; onClose: () => void }) {
  const { api, id } = useProject();
  const toast = useToast();
  const [queueId, setQueueId] = useState<string>();
  const [subject, setSubject] = useState<Subject>(chosen === undefined ? "trace" : "chosen");
  const queues = useQuery({ queryKey: ["annotation-queues", id], queryFn: async ({ signal }) => (await api.GET("/api/public/annotation-queues", { params: { query: { limit: "100" } }, signal })).data?.data ?? [] });
  const add = useMutation({
    mutationFn: (queue: string) => {
      const body = subject === "chosen" && chosen !== undefined ? { objectId: chosen.id, objectType: "OBSERVATION" as const } : { objectId: traceId, objectType: "TRACE" as const };
      return api.POST("/api/public/annotation-queues/{queueId}/items", { params: { path: { queueId: queue } }, body });
    },
    onSuccess: (_, queue) => {
      toast({ title: `Added to ${queues.data?.find((each) => each.id === queue)?.name ?? "the queue"}` });
      onClose();
    },
  });
  const error = queues.error ?? add.error;
  const none = queues.data?.length === 0;
  return (
    <Dialog
      open onOpenChange={onClose} title="Add to annotation queue" description="Somebody looks at it later, and gives it the scores that the queue asks for."
      footer={<><Button onClick={onClose}>Cancel</Button><Button variant="primary" busy={add.isPending} disabled={queueId === undefined} onClick={() => queueId !== undefined && add.mutate(queueId)}>Add</Button></>}
    >
      <div className="flex flex-col gap-4">
        <Combobox
          label="Queue" value={queueId} onChange={setQueueId} disabled={none} options={(queues.data ?? []).map((queue) => ({ value: queue.id, label: queue.name }))}
          hint={none ? "This project has no queue yet. Make one with POST /api/public/annotation-queues." : undefined} error={error ? describeError(error).message : undefined}
        />
        <SubjectChoice value={subject} onChange={setSubject} trace="The whole trace" chosen={chosen?.name} />
      </div>
    </Dialog>
  );
}
