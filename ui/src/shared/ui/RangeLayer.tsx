import { type FormEvent, type ReactNode, useState } from "react";
import { describeRange, fixedRange, presets, type Range, resolveRange } from "@/shared/lib/range";
import { Button } from "./Button";
import { cx } from "@/shared/lib/classes";
import { Popover } from "./Popover";
import type { RangePickerProps } from "./RangePicker";
import { TextField } from "./TextField";

/** The layer of a RangePicker, open from the start. */
export function RangeLayer({ trigger, value, onChange, now }: RangePickerProps & { trigger: ReactNode }) {
  const [open, setOpen] = useState(true);
  const choose = (range: Range) => {
    onChange(range);
    setOpen(false);
  };
  return (
    <Popover open={open} onOpenChange={setOpen} label="Time range" align="end" className="w-72" trigger={trigger}>
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
