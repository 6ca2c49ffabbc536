import { useQuery } from "@tanstack/react-query";
import { useProject } from "@/shared/api/project";
import { useOutputText } from "@/shared/score/useOutputText";
import { type QueueItem, traceOf } from "./api";

/** Where an item belongs, and what came out of it: the text that a correction begins with. */
export function useOutput({ objectType, objectId }: QueueItem) {
  const project = useProject();
  const found = useQuery({
    queryKey: ["trace-of-observation", project.id, objectId],
    enabled: objectType === "OBSERVATION", staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => traceOf(project, objectId, signal),
  });
  const traceId = objectType === "TRACE" ? objectId : objectType === "OBSERVATION" ? (found.data ?? null) : null;
  const output = useOutputText(traceId, objectType === "OBSERVATION" ? objectId : undefined);
  return { traceId, pending: objectType === "OBSERVATION" && found.isPending, error: found.error, output };
}
