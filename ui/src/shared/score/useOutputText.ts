import { useQuery } from "@tanstack/react-query";
import { useProject } from "@/shared/api/project";
import { readText } from "@/shared/trace/details/formats";
import { partQuery } from "@/shared/trace/details/readPart";
import { traceQuery } from "@/shared/trace/loadTrace";
import { ofProject } from "@/shared/trace/source";

/** The words that came out of an observation, or of a trace: what a correction corrects. Undefined while they are not known. */
export function useOutputText(traceId: string | null, observationId?: string): string | undefined {
  const project = useProject();
  const source = ofProject(project.id, traceId ?? "");
  const trace = useQuery({ ...traceQuery(source), enabled: traceId !== null && observationId === undefined });
  const rows = trace.data?.rows;
  const root = rows === undefined || rows.length === 0 ? undefined : rows.ids.at(rows.head.syntheticRoot === null ? 0 : Math.min(1, rows.length - 1));
  const subject = observationId ?? root;
  const part = useQuery({ ...partQuery(source, subject ?? "", "output", false), enabled: traceId !== null && subject !== undefined });
  return part.data === undefined ? undefined : wordsOf(part.data.bytes);
}

/** Of a conversation what its last message says. */
function wordsOf(bytes: Uint8Array): string {
  const { messages, text } = readText(bytes);
  const said = messages?.at(-1)?.parts.flatMap((each) => (each.kind === "text" ? [each.text] : [])).join("\n\n");
  return text ?? (said || new TextDecoder().decode(bytes));
}
