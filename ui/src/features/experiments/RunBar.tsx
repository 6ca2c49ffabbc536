import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { EllipsisVertical, Flag, X } from "lucide-react";
import { useState } from "react";
import { useProject } from "@/shared/api/project";
import { Combobox } from "@/shared/ui/Combobox";
import { formatNumberOf } from "@/shared/lib/format";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { loadExperiments } from "./api";
import type { Side } from "./model";
import { SideMark } from "./SideMark";
import { maxOthers, type Results } from "./useResults";

/** The runs that are compared: the baseline first, and a way to add more. */
export function RunBar({ results }: { results: Results }) {
  const { sides, others } = results;
  return (
    <div className="flex flex-wrap items-stretch gap-2">
      <ul aria-label="Compared runs" className="contents">
        {sides.map((side, index) => <RunCard key={side.id} side={side} isBaseline={index === 0} results={results} />)}
      </ul>
      {others.length < maxOthers && <AddRun results={results} />}
    </div>
  );
}

function RunCard({ side, isBaseline, results }: { side: Side; isBaseline: boolean; results: Results }) {
  const { experiment } = side;
  return (
    <li className="flex max-w-full min-w-0 items-center gap-2 rounded-md border border-line bg-raised py-1 pr-1 pl-2">
      <SideMark side={side} />
      <div className="min-w-0">
        <p className="truncate text-xs font-medium" title={side.name}>{side.name}{isBaseline && <span className="ml-1.5 font-normal text-text-2">baseline</span>}</p>
        <p className="truncate text-2xs text-text-3">
          {experiment === undefined ? (results.comparison.isFetching ? "…" : "No run is found") : <>{formatNumberOf(experiment.itemCount, "item")} · <AbsoluteTime value={experiment.startTime} />{experiment.datasetId === null && " · no dataset"}</>}
        </p>
      </div>
      {!isBaseline && (
        <Menu trigger={<IconButton icon={EllipsisVertical} label={`Actions of ${side.letter}, ${side.name}`} className="size-6 pointer-coarse:size-11" />}>
          <MenuItem icon={Flag} onSelect={() => results.makeBaseline(side.id)}>Make it the baseline</MenuItem>
          <MenuItem icon={X} onSelect={() => results.setOthers(results.others.filter((id) => id !== side.id))}>Remove from the comparison</MenuItem>
        </Menu>
      )}
    </li>
  );
}

/** Runs of other experiments, those of the same dataset first. */
function AddRun({ results }: { results: Results }) {
  const project = useProject();
  const [now] = useState(() => Date.now());
  const [name, setName] = useState("");
  // The page opens without this list: it is asked for when somebody is about to choose.
  const [wanted, setWanted] = useState(false);
  const found = useQuery({
    queryKey: ["experiments to add", project.id, now, name],
    enabled: wanted,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => loadExperiments(project, { from: new Date(0).toISOString(), to: new Date(now).toISOString(), name }, undefined, signal),
  });
  const dataset = results.sides[0]?.experiment?.datasetId ?? null;
  const taken = new Set(results.sides.map(({ id }) => id));
  const free = (found.data?.list ?? []).filter(({ id }) => !taken.has(id));
  const sorted = [...free.filter((one) => one.datasetId === dataset), ...free.filter((one) => one.datasetId !== dataset)];
  return (
    <div className="w-56 self-center" onFocus={() => setWanted(true)} onPointerEnter={() => setWanted(true)}>
      <Combobox
        label="Add a run to compare" labelHidden value={undefined} placeholder="Add a run to compare…" onSearch={setName}
        options={sorted.map((one) => ({ value: one.id, label: one.name || one.id, hint: one.datasetId === dataset ? undefined : "another dataset" }))}
        onChange={(id) => results.setOthers([...results.others, id])}
      />
    </div>
  );
}
