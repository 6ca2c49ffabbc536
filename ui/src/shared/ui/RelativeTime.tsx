import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime, type Instant, relativeTime } from "@/shared/lib/time";
import { useNow } from "@/shared/lib/useNow";
import { none } from "@/shared/lib/format";

/** "5 min ago"; the exact time as its title. */
export function RelativeTime({ value, className }: { value: Instant | null | undefined; className?: string }) {
  const now = useNow();
  const [zone] = useTimeZone();
  return <TimeText value={value} text={relativeTime(value, now, zone)} title={absoluteTime(value, zone, true)} className={className} />;
}

/** "2026-11-15 16:49:23" in the chosen zone. */
export function AbsoluteTime({ value, millis = false, className }: { value: Instant | null | undefined; millis?: boolean; className?: string }) {
  const now = useNow();
  const [zone] = useTimeZone();
  return <TimeText value={value} text={absoluteTime(value, zone, millis)} title={relativeTime(value, now, zone)} className={className} />;
}

function TimeText({ value, text, title, className }: { value: Instant | null | undefined; text: string; title: string; className?: string }) {
  if (value === null || value === undefined || text === none) return <span className={className}>{none}</span>;
  return <time className={className} dateTime={new Date(value).toISOString()} title={title}>{text}</time>;
}
