import { WordDiff } from "@/shared/diff/WordDiff";
import type { ItemRun } from "./api";
import type { Against } from "./useResults";

export interface RunTextProps {
  run: ItemRun;
  /** The baseline's run; undefined: there is none, or this is it. */
  baseline: ItemRun | undefined;
  against: Against;
}

/** What a run put out, with what changed against the baseline or against what was expected. */
export function RunText({ run, baseline, against }: RunTextProps) {
  const output = run.output ?? "";
  const before = against === "expected" ? run.expectedOutput : against === "baseline" ? baseline?.output : undefined;
  if (output === "") return <span className="text-text-3">No output</span>;
  if (before === undefined || before === "" || before === output) return output;
  return <WordDiff before={before} after={output} />;
}
