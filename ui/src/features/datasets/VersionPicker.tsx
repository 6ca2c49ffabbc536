import { useQuery } from "@tanstack/react-query";
import { useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import { Combobox } from "@/shared/ui/Combobox";
import { timesQuery } from "./api";

/** Stands for no version; no time is written so. */
const now = "now";

/** The moments at which items of a dataset changed, to look at all of them as they were. */
export function VersionPicker({ datasetId, value, onChange }: { datasetId: string; value: string; onChange: (version: string) => void }) {
  const project = useProject();
  const [zone] = useTimeZone();
  const { data } = useQuery(timesQuery(project, datasetId));
  const times = (data?.data ?? []).map(({ version, written, deleted }) => ({
    value: version,
    label: `${absoluteTime(version, zone, true)} · ${[written > 0 && `${formatCount(written)} written`, deleted > 0 && `${formatCount(deleted)} deleted`].filter(Boolean).join(", ")}`,
  }));
  const unknown = value !== "" && !times.some((time) => time.value === value) ? [{ value, label: absoluteTime(value, zone, true) }] : [];
  return (
    <Combobox
      label="Version" labelHidden className="w-64" value={value === "" ? now : value} onChange={(next) => onChange(next === now ? "" : next)}
      options={[{ value: now, label: "As they are now" }, ...unknown, ...times]}
    />
  );
}
