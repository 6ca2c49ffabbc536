import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { isPlaceholder } from "@/shared/prompt/content";
import { MessageList } from "@/shared/prompt/MessageList";
import { Banner } from "@/shared/ui/Banner";
import { Combobox } from "@/shared/ui/Combobox";
import { ErrorState } from "@/shared/ui/ErrorState";
import { Select } from "@/shared/ui/Select";
import { TextField } from "@/shared/ui/TextField";
import { modelsQuery } from "./api";
import { type Draft, type Mapping, mappingsOf, sources } from "./draft";
import { OutputFields } from "./OutputFields";

interface JudgeFieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  readOnly: boolean;
}

/** What a judge asks, whom, about which parts of the observation, and what it may answer. */
export function JudgeFields({ draft, onChange, readOnly }: JudgeFieldsProps) {
  const set = (patch: Partial<Draft>) => onChange({ ...draft, ...patch });
  return (
    <>
      <ModelField model={draft.model} onChange={(model) => set({ model })} readOnly={readOnly} />
      <section aria-label="Prompt" className="flex flex-col gap-2">
        <h2 className="text-xs font-medium text-text-2">Prompt</h2>
        <MessageList messages={draft.messages} onChange={(messages) => set({ messages: messages.filter((message) => !isPlaceholder(message)) as Draft["messages"] })} variables={sources.map(({ value }) => value)} placeholders={false} readOnly={readOnly} />
        <p className="text-xs text-text-3">Write {"{{input}}"}, {"{{output}}"}, {"{{expected_output}}"} or a name of your own where something of the observation goes. What to answer with is added by the server.</p>
      </section>
      <MappingFields draft={draft} onChange={(mapping) => set({ mapping })} readOnly={readOnly} />
      <OutputFields output={draft.output} onChange={(output) => set({ output })} readOnly={readOnly} />
    </>
  );
}

const separator = " · ";

function ModelField({ model, onChange, readOnly }: { model: Draft["model"]; onChange: (model: Draft["model"]) => void; readOnly: boolean }) {
  const project = useProject();
  const { data = [], error, isPending, refetch } = useQuery(modelsQuery(project));
  const usable = data.filter(({ problem }) => problem === null);
  const options = usable.flatMap(({ provider, models }) => models.map((name) => ({ value: provider + separator + name, label: usable.length > 1 ? `${name}${separator}${provider}` : name })));
  const choose = (value: string) => {
    const at = value.indexOf(separator);
    onChange({ provider: value.slice(0, at), model: value.slice(at + separator.length) });
  };
  return (
    <div className="flex flex-col gap-2">
      <Combobox label="Model" className="max-w-96" disabled={readOnly} value={model === null ? undefined : model.provider + separator + model.model} onChange={choose} options={options} placeholder="Choose a model…" hint="Of the project's connections to providers." />
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} compact className="p-0!" />}
      {error === null && !isPending && options.length === 0 && (
        <Banner tone="warn">
          {data[0]?.problem ?? "No model can be asked yet."} <Link to="/project/$projectId/settings/{-$page}" params={{ projectId: project.id, page: "llm-connections" }} className="text-accent underline">Connections to providers</Link>
        </Banner>
      )}
    </div>
  );
}

/** Where the value of each variable comes from. Names that say so need no choice. */
function MappingFields({ draft, onChange, readOnly }: { draft: Draft; onChange: (mapping: Mapping[]) => void; readOnly: boolean }) {
  const rows = mappingsOf(draft);
  const set = (variable: string, patch: Partial<Mapping>) => {
    const row = rows.find((one) => one.variable === variable);
    const next = { variable, source: row?.source ?? "input", jsonPath: row?.jsonPath ?? "", ...patch } satisfies Mapping;
    onChange([...draft.mapping.filter((one) => one.variable !== variable), next]);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-xs font-medium text-text-2">Variables</legend>
      {rows.length === 0 && <p className="text-xs text-warn">The prompt has no variables, so every observation is asked about in the same words.</p>}
      {rows.map(({ variable, source, jsonPath }) => (
        <div key={variable} className="grid items-end gap-2 sm:grid-cols-[minmax(8rem,1fr)_minmax(10rem,1fr)_minmax(10rem,1fr)]">
          <code className="truncate pb-1.5 font-mono text-xs text-agent" title={variable}>{`{{${variable}}}`}</code>
          <Select
            label={`${variable} comes from`} value={source ?? ""} disabled={readOnly} onChange={(value) => value !== "" && set(variable, { source: value as Mapping["source"] })}
            options={[...(source === undefined ? [{ value: "", label: "Choose…" }] : []), ...sources]}
          />
          <TextField label={`Part of it, for ${variable}`} value={jsonPath} disabled={readOnly} onChange={(path) => set(variable, { jsonPath: path })} placeholder="all of it, or $.messages[0].content" spellCheck={false} autoComplete="off" />
        </div>
      ))}
    </fieldset>
  );
}
