import { useQuery } from "@tanstack/react-query";
import { useProject } from "@/shared/api/project";
import { readText } from "@/shared/trace/details/formats";
import { partQuery } from "@/shared/trace/details/readPart";
import { traceQuery } from "@/shared/trace/loadTrace";
import { ofProject } from "@/shared/trace/source";
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
  const source = ofProject(project.id, traceId ?? "");
  const trace = useQuery({ ...traceQuery(source), enabled: objectType === "TRACE" });
  const rows = trace.data?.rows;
  const root = rows === undefined || rows.length === 0 ? undefined : rows.ids.at(rows.head.syntheticRoot === null ? 0 : Math.min(1, rows.length - 1));
  const observationId = objectType === "OBSERVATION" ? objectId : root;
  const part = useQuery({ ...partQuery(source, observationId ?? "", "output", false), enabled: traceId !== null && observationId !== undefined });
  return { traceId, pending: objectType === "OBSERVATION" && found.isPending, error: found.error, output: part.data === undefined ? undefined : textOf(part.data.bytes) };
}

/** The words of an output: of a conversation what its last message says. */
function textOf(bytes: Uint8Array): string {
  const { messages, text } = readText(bytes);
  const said = messages?.at(-1)?.parts.flatMap((each) => (each.kind === "text" ? [each.text] : [])).join("\n\n");
  return text ?? (said || new TextDecoder().decode(bytes));
}
