import { ArrowDown, ArrowUp, Equal, type LucideIcon, Shuffle } from "lucide-react";
import { Badge, type BadgeTone } from "@/shared/ui/Badge";
import type { FigureValue } from "./api";
import { deltaText, figureTitle, valueText } from "./model";

const looks: Record<string, { tone: BadgeTone; icon: LucideIcon | null }> = {
  improved: { tone: "ok", icon: ArrowUp },
  regressed: { tone: "danger", icon: ArrowDown },
  changed: { tone: "warn", icon: Shuffle },
  same: { tone: "neutral", icon: Equal },
};

/** A figure of a run: its value and how it differs from the baseline, by a word, a sign and a color. */
export function FigureChip({ figure }: { figure: FigureValue }) {
  const { tone, icon: Icon } = looks[figure.change ?? ""] ?? { tone: "neutral" as const, icon: null };
  // That a boolean changed is its value already. Latency and cost change with every run: that is no good or bad news of its own.
  const moved = figure.change !== null && figure.change !== "same" && figure.dataType !== "BOOLEAN";
  const direction = figure.delta !== null && figure.delta > 0 ? ArrowUp : ArrowDown;
  const Sign = Icon === ArrowUp || Icon === ArrowDown ? direction : Icon;
  return (
    <Badge tone={figure.kind === "score" ? tone : "neutral"} className="font-normal">
      <span className="min-w-0 truncate">{figureTitle(figure)}</span>
      <span className="text-text">{valueText(figure)}</span>
      {Sign !== null && <Sign size={11} aria-hidden />}
      {moved && figure.delta !== null && <span>{deltaText(figure, figure.delta)}</span>}
      {figure.change !== null && figure.kind === "score" && <span className="sr-only">{figure.change}</span>}
    </Badge>
  );
}
