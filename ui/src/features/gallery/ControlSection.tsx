import { Plus, RotateCw, Search, Share2, Table2, Trash2, Waypoints } from "lucide-react";
import { useState } from "react";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { Checkbox } from "@/shared/ui/Checkbox";
import { IconButton } from "@/shared/ui/IconButton";
import { Kbd } from "@/shared/ui/Kbd";
import { RadioGroup } from "@/shared/ui/Radio";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { Switch } from "@/shared/ui/Switch";
import { Tabs } from "@/shared/ui/Tabs";
import { Section, Specimen } from "./Section";

const views = [{ value: "timeline", label: "Timeline", icon: Waypoints }, { value: "table", label: "Table", icon: Table2 }, { value: "log", label: "Log" }] as const;
const tabs = [{ value: "io", label: "I/O" }, { value: "scores", label: "Scores", count: 3 }, { value: "metadata", label: "Metadata" }] as const;
const roles = [
  { value: "viewer", label: "Viewer", hint: "Reads everything." },
  { value: "member", label: "Member", hint: "Writes scores, prompts and datasets." },
  { value: "owner", label: "Owner", disabled: true },
] as const;

export function ControlSection() {
  const [view, setView] = useState<(typeof views)[number]["value"]>("timeline");
  const [tab, setTab] = useState<(typeof tabs)[number]["value"]>("io");
  const [role, setRole] = useState<(typeof roles)[number]["value"]>("viewer");
  const [ticked, setTicked] = useState(true);
  return (
    <Section title="Controls">
      <Specimen title="Button">
        <Button variant="primary" icon={Share2}>Primary</Button>
        <Button icon={Plus}>Secondary</Button>
        <Button variant="ghost">Ghost</Button>
        <Button variant="danger" icon={Trash2}>Danger</Button>
        <Button busy>Saving</Button>
        <Button disabled>Disabled</Button>
      </Specimen>
      <Specimen title="IconButton">
        <IconButton icon={Search} label="Search" keys="/" />
        <IconButton icon={RotateCw} label="Refresh" variant="secondary" />
        <IconButton icon={Trash2} label="Delete" variant="danger" />
        <IconButton icon={Plus} label="Add" variant="primary" />
        <IconButton icon={Plus} label="Add, not now" disabled />
      </Specimen>
      <Specimen title="Badge, Kbd">
        <Badge>neutral</Badge><Badge tone="accent">accent</Badge><Badge tone="ok">ok</Badge><Badge tone="warn">warn</Badge><Badge tone="danger">danger</Badge>
        <Kbd keys="mod+k" /><Kbd keys="g t" /><Kbd keys="shift+j" />
      </Specimen>
      <Specimen title="SegmentedControl">
        <SegmentedControl label="View" value={view} onChange={setView} segments={views} />
        <SegmentedControl label="View by icons" value={view} onChange={setView} segments={views.slice(0, 2)} iconsOnly />
      </Specimen>
      <Specimen title="Checkbox, Switch">
        <Checkbox checked={ticked} onChange={setTicked}>Ticked</Checkbox>
        <Checkbox checked={!ticked} onChange={(on) => setTicked(!on)} hint="With a hint.">The opposite</Checkbox>
        <Checkbox checked={false} indeterminate onChange={setTicked}>Some of them</Checkbox>
        <Checkbox checked disabled onChange={setTicked}>Disabled</Checkbox>
        <Switch checked={ticked} onChange={setTicked}>Live</Switch>
        <Switch checked={false} disabled onChange={setTicked}>Not here</Switch>
      </Specimen>
      <Specimen title="RadioGroup"><RadioGroup label="Role" value={role} onChange={setRole} options={roles} /></Specimen>
      <Tabs label="Details" value={tab} onChange={setTab} tabs={tabs} className="rounded-md border border-line" panelClassName="p-3">The panel of {tab}.</Tabs>
    </Section>
  );
}
