import { formatCount, formatPercent } from "@/shared/lib/format";
import { Panel } from "@/shared/ui/Panel";
import { StatTile } from "@/shared/ui/StatTile";
import type { ScoreAgreement } from "../api";
import { Matrix } from "./Matrix";
import { explain, formatFigure } from "./words";

/** How far two scores agree on what both are about: figures, what they mean, and how often which values meet. */
export function Agreement({ agreement, a, b }: { agreement: ScoreAgreement; a: string; b: string }) {
  const tiles: [label: string, value: string][] = [["Have both", formatCount(agreement.pairs)]];
  if (agreement.share !== null) tiles.push(["Equal", formatPercent(agreement.share)], ["Cohen's kappa", formatFigure(agreement.kappa)]);
  if (agreement.weightedKappa !== null) tiles.push(["Weighted kappa", formatFigure(agreement.weightedKappa)]);
  if (agreement.share === null && agreement.meanAbsoluteError !== null) {
    tiles.push(["Pearson", formatFigure(agreement.pearson)], ["Spearman", formatFigure(agreement.spearman)], ["Mean difference", formatFigure(agreement.meanAbsoluteError)]);
  }
  return (
    <Panel title="Agreement">
      <div className="flex flex-col gap-4 px-4 pt-2 pb-4">
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">{tiles.map(([label, value]) => <StatTile key={label} label={label} value={value} />)}</div>
        <div className="grid gap-x-8 gap-y-4 lg:grid-cols-2">
          <div className="flex max-w-prose flex-col gap-1 text-sm text-text-2">{explain(agreement).map((sentence) => <p key={sentence}>{sentence}</p>)}</div>
          {agreement.pairs > 0 && <Matrix matrix={agreement.matrix} a={a} b={b} />}
        </div>
      </div>
    </Panel>
  );
}
