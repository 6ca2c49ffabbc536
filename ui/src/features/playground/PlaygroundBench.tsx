import { Play, Plus } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { PageHeader } from "@/shared/ui/PageHeader";
import { TextArea } from "@/shared/ui/TextField";
import { SaveDialog } from "./SaveDialog";
import { useRuns } from "./useRuns";
import { VariantCard } from "./VariantCard";
import { newVariant, type OfferedModels, problemOf, type Variant, variablesOfAll } from "./variant";

/** As many as there are letters to tell them apart on one screen. */
const most = 4;

/** Variants beside each other, with the values of their variables. */
export function PlaygroundBench({ offered, first }: { offered: readonly OfferedModels[]; first: Variant }) {
  const project = useProject();
  const [variants, setVariants] = useState<readonly Variant[]>([first]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [saving, setSaving] = useState<Variant | null>(null);
  const { runs, run, stop } = useRuns();
  const mayRun = allows(project.role, "MEMBER");
  const problems = variants.map((variant) => (mayRun ? problemOf(variant, values) : "Runs cost money: they need the role MEMBER."));
  const runAll = () => variants.forEach((variant, index) => problems[index] === undefined && void run(variant, values));
  const nextId = Math.max(...variants.map(({ id }) => id)) + 1;
  const add = (variant: Variant) => setVariants([...variants, { ...variant, id: nextId }]);
  useShortcuts("Playground", [{ keys: "mod+enter", label: "Run all variants", run: runAll }]);
  const names = variablesOfAll(variants);
  const runnable = problems.some((problem) => problem === undefined);
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader
        title="Playground" documentTitle={`Playground · ${project.name}`}
        actions={<>
          <Button icon={Plus} disabled={variants.length >= most} onClick={() => add(newVariant(nextId, offered))}>Add variant</Button>
          <Button variant="primary" icon={Play} disabled={!runnable} aria-keyshortcuts="Control+Enter" onClick={runAll}>{variants.length === 1 ? "Run" : "Run all"}</Button>
        </>}
      >
        {first.prompt !== undefined && <span className="min-w-0 truncate text-xs text-text-2">from {first.prompt.name}, version {first.prompt.version}</span>}
      </PageHeader>
      <div className="flex flex-col gap-4 p-4">
        {!mayRun && <Banner>You can look around here. Running prompts costs money and needs the role MEMBER; you are {project.role}.</Banner>}
        {names.length > 0 && (
          <section aria-label="Variables" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
            {names.map((name) => <TextArea key={name} label={name} rows={2} value={values[name] ?? ""} onChange={(value) => setValues({ ...values, [name]: value })} placeholder={`Stands for {{${name}}}`} />)}
          </section>
        )}
        <div className="grid gap-4 md:grid-cols-[repeat(auto-fit,minmax(340px,1fr))]">
          {variants.map((variant, index) => (
            <VariantCard
              key={variant.id} variant={variant} letter={String.fromCodePoint(65 + index)} offered={offered} run={runs[variant.id]} problem={problems[index]}
              onChange={(next) => setVariants(variants.map((each) => (each.id === next.id ? next : each)))} onRun={() => void run(variant, values)} onStop={() => stop(variant.id)}
              onCopy={variants.length < most ? () => add(variant) : undefined}
              onRemove={variants.length > 1 ? () => { stop(variant.id); setVariants(variants.filter(({ id }) => id !== variant.id)); } : undefined}
              onSave={mayRun ? () => setSaving(variant) : undefined}
            />
          ))}
        </div>
      </div>
      {saving !== null && <SaveDialog variant={saving} onClose={() => setSaving(null)} />}
    </div>
  );
}
