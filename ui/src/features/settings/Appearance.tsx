import { usePreference, useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import { useNow } from "@/shared/lib/useNow";
import { Combobox } from "@/shared/ui/Combobox";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { Switch } from "@/shared/ui/Switch";
import { ThemeToggle } from "@/shared/ui/ThemeToggle";
import { Section } from "./Section";

const densities = [{ value: "compact", label: "Compact" }, { value: "comfortable", label: "Comfortable" }] as const;

const zones = [
  { value: "local", label: "Like the browser", hint: Intl.DateTimeFormat().resolvedOptions().timeZone },
  { value: "UTC", label: "UTC" },
  ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC").map((zone) => ({ value: zone, label: zone })),
];

/** How pages look and listen. It is at once as chosen, there is nothing to save. */
export function Appearance() {
  const [density, setDensity] = usePreference("density");
  const [singleKeys, setSingleKeys] = usePreference("single-keys");
  const [zone, setZone] = useTimeZone();
  const now = useNow();
  return (
    <Section title="Appearance" description="Kept in this browser.">
      <div className="flex flex-wrap gap-x-8 gap-y-4">
        <Choice label="Theme"><ThemeToggle labels /></Choice>
        <Choice label="Density"><SegmentedControl label="Density" value={density} onChange={setDensity} segments={densities} /></Choice>
      </div>
      <Combobox label="Time zone" value={zone} onChange={setZone} options={zones} hint={`Times are shown in it. Now it is ${absoluteTime(now, zone).slice(0, 16)} there.`} className="max-w-96" />
      <Switch checked={singleKeys === "on"} onChange={(on) => setSingleKeys(on ? "on" : "off")} hint="Keys such as j, k or / act without Ctrl. Turn them off if you speak to your computer or hit keys by mistake; ? lists them all.">
        Shortcuts of a single key
      </Switch>
    </Section>
  );
}

function Choice({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-1">
      <span aria-hidden className="text-xs font-medium text-text-2">{label}</span>
      {children}
    </div>
  );
}
