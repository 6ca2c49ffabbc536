import { Link } from "@tanstack/react-router";
import { DiffView } from "@/shared/code/DiffView";
import { useProject } from "@/shared/api/project";
import { buttonClass } from "@/shared/ui/Button";
import type { Evaluator, EvaluatorVersion } from "./api";
import { draftOf, printDraft } from "./draft";

/** What differs between two versions of an evaluator; the older one is on the left. */
export function VersionDiff({ evaluator, one, other }: { evaluator: Evaluator; one: EvaluatorVersion; other: EvaluatorVersion }) {
  const project = useProject();
  const [older, newer] = one.version < other.version ? [one, other] : [other, one];
  const text = (version: EvaluatorVersion) => printDraft(draftOf(evaluator, version));
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-sm font-medium">Version {older.version} and version {newer.version}</h2>
        <Link to="/project/$projectId/evaluators/$evaluatorId" params={{ projectId: project.id, evaluatorId: evaluator.id }} search={((search: object) => ({ ...search, diff: undefined })) as never} className={buttonClass("secondary", "ml-auto")}>Close</Link>
      </div>
      <DiffView before={text(older)} after={text(newer)} beforeLabel={`Version ${older.version}`} afterLabel={`Version ${newer.version}`} language={evaluator.type === "code" ? "typescript" : "prompt"} />
    </div>
  );
}
