import { type KeyboardEvent, useRef, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Kbd } from "@/shared/ui/Kbd";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import type { QueueItem, ScoreConfig } from "./api";
import { ConfigField } from "./ConfigField";
import { CorrectionField } from "./CorrectionField";
import { choicesOf, problemsIn, type ReviewDraft, type Target, withScore } from "./draft";
import { type SaveState, useAutosave } from "./useAutosave";
import type { ReviewState } from "./useReview";

interface ReviewFormProps {
  state: ReviewState;
  item: QueueItem;
  configs: readonly ScoreConfig[];
  initial: ReviewDraft;
  target: Target | null;
  output: string | undefined;
}

const saveWords: Record<SaveState, string> = { saved: "Draft saved", saving: "Saving…", failed: "The draft could not be saved", untouched: "" };

/** The scores that a queue asks for, filled in by keyboard: digits choose, Tab goes on, Ctrl+Enter completes. */
export function ReviewForm({ state, item, configs, initial, target, output }: ReviewFormProps) {
  const [draft, setDraft] = useState(initial);
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const { complete, move, mine } = state;
  const busy = complete.isPending || move.isPending;
  const saved = useAutosave(item, draft, { enabled: mine && !complete.isPending, onNoted: state.onNoted, onKept: state.onKept, onLost: () => void state.review.refetch() });
  const problems = problemsIn(draft, configs);
  const finish = () => {
    setTried(true);
    if (problems.size === 0 && target !== null && mine && !busy) complete.mutate({ draft, configs, target });
  };
  /** A digit belongs to the field that has focus, else to the first one that is still empty. */
  const choose = (digit: number) => {
    const focused = document.activeElement?.closest<HTMLElement>("[data-config]")?.dataset.config;
    const config = configs.find(({ id }) => id === focused) ?? configs.find((one) => choicesOf(one).length > 0 && (draft.scores[one.id]?.value ?? "") === "");
    const choice = config === undefined ? undefined : choicesOf(config)[digit - 1];
    if (config === undefined || choice === undefined || !mine) return;
    setDraft(withScore(draft, config.id, { value: choice.value }));
    const radios = [...(form.current?.querySelectorAll<HTMLInputElement>("input[type=radio]") ?? [])];
    radios.find(({ name, value }) => name === config.id && value === choice.value)?.focus();
  };
  useShortcuts("Annotate", [
    ...Array.from({ length: 9 }, (_, index) => ({ keys: String(index + 1), label: `Choose category ${index + 1}`, run: () => choose(index + 1) })),
    { keys: "mod+enter", label: "Complete and next", run: finish },
    { keys: "arrowright", label: "Skip to the next item", run: () => !busy && move.mutate("next") },
    { keys: "arrowleft", label: "Back to the item before", run: () => !busy && move.mutate("previous") },
  ]);
  // Arrows beside a chosen radio skip, too: up and down move within it.
  const onKeyDown = (event: KeyboardEvent) => {
    const skips = event.key === "ArrowRight" || event.key === "ArrowLeft";
    if (!skips || !(event.target instanceof HTMLInputElement) || event.target.type !== "radio" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!busy) move.mutate(event.key === "ArrowRight" ? "next" : "previous");
  };
  const error = complete.error ?? move.error;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the fields inside
    <form ref={form} noValidate aria-label="Scores" className="flex flex-col gap-3" onKeyDown={onKeyDown} onSubmit={(event) => (event.preventDefault(), finish())}>
      {error !== null && <Banner tone="danger">{describeError(error).message}</Banner>}
      {configs.map((config) => (
        <ConfigField key={config.id} config={config} score={draft.scores[config.id]} disabled={!mine} error={tried ? problems.get(config.id) : undefined} onChange={(change) => setDraft(withScore(draft, config.id, change))} />
      ))}
      {item.objectType !== "SESSION" && <CorrectionField output={output} correction={draft.correction} disabled={!mine} onChange={(correction) => setDraft({ ...draft, correction })} />}
      {tried && problems.get("") !== undefined && <p role="alert" className="text-xs text-danger">{problems.get("")}</p>}
      <div className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t border-line bg-bg py-3">
        <Button type="submit" variant="primary" busy={complete.isPending} disabled={!mine || target === null}>Complete and next <span className="ml-1 pointer-coarse:hidden"><Kbd keys="mod+enter" /></span></Button>
        <span className="flex-1" />
        <span className={saved === "failed" ? "text-xs text-danger" : "text-xs text-text-3"}>{saveWords[saved]}</span>
        <LiveRegion>{saved === "saved" || saved === "failed" ? saveWords[saved] : ""}</LiveRegion>
      </div>
    </form>
  );
}
