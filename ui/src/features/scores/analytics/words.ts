import { formatCount, formatPercent } from "@/shared/lib/format";
import type { ScoreAgreement } from "../api";

/** How strong an agreement beyond chance is, by the bands of Landis and Koch (1977). */
export function kappaWord(kappa: number): string {
  if (kappa < 0) return "worse than chance";
  if (kappa < 0.2) return "slight";
  if (kappa < 0.4) return "fair";
  if (kappa < 0.6) return "moderate";
  return kappa < 0.8 ? "substantial" : "almost perfect";
}

export function correlationWord(r: number): string {
  const strength = Math.abs(r);
  if (strength < 0.1) return "no";
  const word = strength < 0.3 ? "a weak" : strength < 0.5 ? "a moderate" : strength < 0.7 ? "a strong" : "a very strong";
  return r < 0 ? `${word} opposite` : word;
}

export const formatFigure = (value: number | null): string => (value === null ? "–" : String(Number(value.toFixed(3))));

/** What the figures mean, in sentences. */
export function explain(agreement: ScoreAgreement): string[] {
  const { pairs, onlyA, onlyB, share, expectedShare, kappa, weightedKappa, pearson, spearman, meanAbsoluteError } = agreement;
  if (pairs === 0) return ["Nothing has both scores in this time, so there is nothing to compare. Choose a longer time, or scores that were given to the same traces, observations or sessions."];
  const sentences = [`${formatCount(pairs)} ${pairs === 1 ? "thing has" : "things have"} both scores; ${formatCount(onlyA)} only the first and ${formatCount(onlyB)} only the second.`];
  if (share !== null) sentences.push(`They are equal in ${formatPercent(share)} of them, where chance alone would give ${formatPercent(expectedShare)}.`);
  if (kappa !== null) sentences.push(`Cohen's kappa of ${formatFigure(kappa)} means ${kappa < 0 ? "an agreement worse than chance" : `${kappaWord(kappa)} agreement beyond chance`}; 1 would be full agreement, 0 chance.`);
  else if (share !== null) sentences.push("Kappa is not defined here: both gave one and the same value all the time, which chance explains, too.");
  if (weightedKappa !== null) sentences.push(`By how far the categories are apart, the weighted kappa is ${formatFigure(weightedKappa)}: near misses count less than far ones.`);
  if (share === null && pearson !== null) sentences.push(`Pearson's correlation of ${formatFigure(pearson)} means ${correlationWord(pearson)} linear relation; Spearman's of ${formatFigure(spearman)} compares only the order.`);
  if (share === null && pearson === null && meanAbsoluteError !== null) sentences.push("There is no correlation to speak of: at least one of them always has the same value.");
  if (share === null && meanAbsoluteError !== null) sentences.push(`On average they are ${formatFigure(meanAbsoluteError)} apart.`);
  if (pairs < 30) sentences.push("With so few pairs, all of this may well be chance.");
  return sentences;
}
