import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type FormEvent, useId, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { shiftDecimal } from "@/shared/lib/exactMoney";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { modelsQuery, saveModel, unpricedQuery } from "./api";
import { type Model, scaleOf, units } from "./definition";
import { bodyOf, type Draft, newTier, problemsOf, type TierDraft } from "./draft";
import { MatchTester } from "./MatchTester";
import { TierFields } from "./TierFields";

const tokenizers = [{ value: "", label: "None" }, { value: "openai", label: "OpenAI" }, { value: "claude", label: "Claude" }] as const;
const unitOptions = units.map((value) => ({ value, label: value.charAt(0) + value.slice(1).toLowerCase() }));

export interface ModelDialogProps {
  /** What the form begins with. */
  start: Draft;
  /** The definition that is replaced; none: a new one. */
  before?: Model;
  models: readonly Model[];
  onClose: () => void;
  onSaved: (model: Model) => void;
}

/** Makes or changes a definition of the project's own. */
export function ModelDialog({ start, before, models, onClose, onSaved }: ModelDialogProps) {
  const project = useProject();
  const queries = useQueryClient();
  const form = useId();
  const [draft, setDraft] = useState(start);
  const [tried, setTried] = useState(false);
  const found = problemsOf(draft);
  const problems = tried ? found : new Map<string | number, string>();
  const save = useMutation({
    mutationFn: () => saveModel(project, before?.id, bodyOf(draft, before)),
    onSuccess: (model) => {
      for (const { queryKey } of [modelsQuery(project), unpricedQuery(project)]) void queries.invalidateQueries({ queryKey });
      onSaved(model);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    flushSync(() => setTried(true)); // so that what is wrong is marked, and can be gone to
    event.currentTarget.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    if (found.size === 0 && !save.isPending) save.mutate();
  };
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const setTier = (tier: TierDraft) => set({ tiers: draft.tiers.map((other) => (other.id === tier.id ? tier : other)) });
  const candidate = useMemo(() => asModel(draft), [draft]);
  const others = useMemo(() => models.filter(({ id }) => id !== before?.id), [models, before]);
  const refused = save.error === null ? undefined : describeError(save.error);
  const { per } = scaleOf(draft.unit);
  return (
    <Dialog
      open onOpenChange={onClose} size="wide" title={before === undefined ? "New model price" : `Edit ${before.modelName}`}
      description="It comes before built-in prices for the names that it matches, and holds for observations from now on."
      footer={<><Button onClick={onClose}>Cancel</Button><Button type="submit" form={form} variant="primary" busy={save.isPending}>Save</Button></>}
    >
      <form id={form} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        {refused !== undefined && <Banner tone="danger">{refused.message}{refused.hint !== undefined && ` ${refused.hint}`}</Banner>}
        {found.size > 0 && tried && <Banner tone="danger">{found.size === 1 ? "One field needs" : `${found.size} fields need`} another value.</Banner>}
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} maxLength={200} required error={problems.get("name")} hint="What lists and charts call it." />
          <TextField label="Start date (UTC)" type="date" value={draft.startDate} onChange={(startDate) => set({ startDate })} hint="Empty: for observations of any time." />
          <TextField label="Match pattern" value={draft.pattern} onChange={(pattern) => set({ pattern })} maxLength={1000} required autoComplete="off" spellCheck={false} error={problems.get("pattern")} hint="A regular expression (RE2) that model ids match." />
          <MatchTester models={[...others, candidate]} draft={candidate} />
          <Select label="Unit" value={draft.unit} onChange={(unit) => set({ unit })} options={unitOptions} hint="What usage counts." />
          <Select label="Tokenizer" value={draft.tokenizer} onChange={(tokenizer) => set({ tokenizer })} options={tokenizers} hint="Counts tokens of observations that come without usage; OpenAI's only." />
        </div>
        {draft.tiers.map((tier, index) => (
          <TierFields
            key={tier.id} tier={tier} isDefault={index === 0} several={draft.tiers.length > 1} per={per} problems={problems}
            onChange={setTier} onRemove={() => set({ tiers: draft.tiers.filter(({ id }) => id !== tier.id) })}
          />
        ))}
        <div><Button icon={Plus} onClick={() => set({ tiers: [...draft.tiers, newTier(draft.tiers[0]!)] })}>Add tier</Button></div>
      </form>
    </Dialog>
  );
}

/** The draft as the definition that it would be, for the tester. */
function asModel(draft: Draft): Model {
  const { power } = scaleOf(draft.unit);
  const price = (key: string) => {
    const amount = draft.tiers[0]!.prices.find((each) => each.key === key)?.amount ?? "";
    const text = shiftDecimal(amount, -power);
    return text === null ? null : Number(text);
  };
  return {
    id: "", modelName: draft.name, matchPattern: draft.pattern, startDate: draft.startDate || null, unit: draft.unit, inputPrice: price("input"), outputPrice: price("output"), totalPrice: price("total"),
    tokenizerId: null, tokenizerConfig: null, isLangfuseManaged: false, createdAt: "", prices: {}, pricingTiers: [],
  };
}
