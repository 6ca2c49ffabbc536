import { useState } from "react";
import { exactMoney } from "@/shared/lib/exactMoney";
import { useNow } from "@/shared/lib/useNow";
import { TextField } from "@/shared/ui/TextField";
import { type Model, scaleOf } from "./definition";
import { findModel } from "./match";

/** Tells which definition would price a model that is typed in, as of now. */
export function MatchTester({ models, draft, className }: { models: readonly Model[]; /** The definition being edited, among the models. */ draft?: Model; className?: string }) {
  const [typed, setTyped] = useState("");
  const name = typed.trim();
  return (
    <div className={className}>
      <TextField label="Try a model id" value={typed} onChange={setTyped} placeholder="openai/gpt-4o-2024-08-06" autoComplete="off" spellCheck={false} hint="As your application sends it. Nothing is stored." />
      <p role="status" className="min-h-5 pt-1 text-xs break-words">{name !== "" && <Answer models={models} draft={draft} name={name} />}</p>
    </div>
  );
}

function Answer({ models, draft, name }: { models: readonly Model[]; draft?: Model; name: string }) {
  const { model, untried } = findModel(models, name, useNow());
  const unsure = untried.length > 0 && ` ${untried.length === 1 ? "One pattern" : `${untried.length} patterns`} of the list can be tried by the server only.`;
  if (model === undefined) return <span className="text-warn">No model matches: it would have no cost.{unsure}</span>;
  const { power, per } = scaleOf(model.unit);
  const prices = model.totalPrice !== null ? `${exactMoney(model.totalPrice, power)} in all` : `${exactMoney(model.inputPrice, power)} input, ${exactMoney(model.outputPrice, power)} output`;
  if (model === draft) return <span className="text-ok">This model prices it.{unsure}</span>;
  return (
    <span className={draft === undefined ? "text-text" : "text-warn"}>
      Priced by <strong className="font-medium">{model.modelName}</strong> ({model.isLangfuseManaged ? "built in" : "your own"}): {prices} per {per}.{unsure}
    </span>
  );
}
