import { ChangedText } from "@/shared/diff/ChangedText";
import type { Subject } from "./subject";
import { useOutputText } from "./useOutputText";

/** What an output should have been, as changes to what it was. */
export default function Correction({ subject: { traceId, observationId }, text }: { subject: Subject; text: string }) {
  const output = useOutputText(traceId, observationId);
  return output === undefined ? <p className="break-words whitespace-pre-wrap">{text}</p> : <ChangedText label="Correction of the output" before={output} after={text} />;
}
