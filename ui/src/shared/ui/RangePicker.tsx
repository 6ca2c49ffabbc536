import { CalendarClock, ChevronDown } from "lucide-react";
import { lazy, useRef } from "react";
import { useTimeZone } from "@/shared/lib/preferences";
import { describeRange, type Range } from "@/shared/lib/range";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { Button } from "./Button";
import { LazyMenu } from "./LazyMenu";

const loadLayer = () => import("./RangeLayer");
const RangeLayer = lazy(async () => ({ default: (await loadLayer()).RangeLayer }));

export interface RangePickerProps {
  value: Range;
  onChange: (range: Range) => void;
  /** What "now" means to the rows on screen. */
  now: number;
}

/** Chooses which time a list is about: the last so long, or between two times. */
export function RangePicker(props: RangePickerProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [zone] = useTimeZone();
  useShortcuts("List", [{ keys: "t", label: "Choose the time range", run: () => button.current?.click() }]);
  const trigger = (
    <Button ref={button} icon={CalendarClock} aria-keyshortcuts="t">{describeRange(props.value, zone === "local" ? undefined : zone)}<ChevronDown size={14} aria-hidden className="text-text-3" /></Button>
  );
  return <LazyMenu kind="dialog" trigger={trigger} load={loadLayer}><RangeLayer {...props} trigger={trigger} /></LazyMenu>;
}
