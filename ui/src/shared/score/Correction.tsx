import { WordDiff } from "@/shared/ui/WordDiff";
import type { Subject } from "./subject";
import { useOutputText } from "./useOutputText";

/** What an output should have been, as changes to what it was. */
export default function Correction({ subject: { traceId, observationId }, text }: { subject: Subject; text: string }) {
  const output = useOutputText(traceId, observationId);
  return output === undefined ? <p className="break-words whitespace-pre-wrap">{text}</p> : <WordDiff label="Correction of the output" before={output} after={text} />;
}
