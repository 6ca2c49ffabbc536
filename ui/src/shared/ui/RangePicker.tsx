import { CalendarClock, ChevronDown } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTimeZone } from "@/shared/lib/preferences";
import { describeRange, fixedRange, presets, type Range, resolveRange } from "@/shared/lib/range";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { Button } from "./Button";
import { cx } from "@/shared/lib/classes";
import { Popover } from "./Popover";
import { TextField } from "./TextField";

export interface RangePickerProps {
  value: Range;
  onChange: (range: Range) => void;
  /** What "now" means to the rows on screen. */
  now: number;
}

/** Chooses which time a list is about: the last so long, or between two times. */
export function RangePicker({ value, onChange, now }: RangePickerProps) {
  const [open, setOpen] = useState(false);
  const [zone] = useTimeZone();
  useShortcuts("List", [{ keys: "t", label: "Choose the time range", run: () => setOpen(true) }]);
  const choose = (range: Range) => {
    onChange(range);
    setOpen(false);
  };
  return (
    <Popover
      open={open} onOpenChange={setOpen} label="Time range" align="end" className="w-72"
      trigger={<Button icon={CalendarClock} aria-keyshortcuts="t">{describeRange(value, zone === "local" ? undefined : zone)}<ChevronDown size={14} aria-hidden className="text-text-3" /></Button>}
    >
      <div className="grid grid-cols-3 gap-1 border-b border-line p-2">
        {presets.map((preset) => {
          const chosen = "last" in value && value.last === preset;
          return (
            <button key={preset} type="button" aria-pressed={chosen} className={cx("h-(--control) rounded-md text-xs hover:bg-surface", chosen && "bg-selected font-medium")} onClick={() => choose({ last: preset })}>
              {describeRange({ last: preset }).replace("Last ", "")}
            </button>
          );
        })}
      </div>
      <CustomRange key={JSON.stringify(value)} value={value} now={now} onChange={choose} />
    </Popover>
  );
}

/** Two times, in the browser's zone as its own fields have it. */
function CustomRange({ value, now, onChange }: RangePickerProps) {
  const ends = resolveRange(value, now);
  const [from, setFrom] = useState(localText(ends.from));
  const [to, setTo] = useState(localText(ends.to));
  const wrong = from !== "" && to !== "" && Date.parse(from) >= Date.parse(to);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!wrong && from !== "" && to !== "") onChange(fixedRange(Date.parse(from), Date.parse(to)));
  };
  return (
    <form className="flex flex-col gap-2 p-3" onSubmit={submit}>
      <TextField label="From" type="datetime-local" step={1} required value={from} onChange={setFrom} />
      <TextField label="To" type="datetime-local" step={1} required value={to} onChange={setTo} error={wrong ? "The end must come after the start." : undefined} />
      <div className="flex items-center justify-between gap-2">
        <span className="text-2xs text-text-3">{new Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
        <Button type="submit" variant="primary">Apply</Button>
      </div>
    </form>
  );
}

function localText(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
