import type { Alert } from "@/shared/alerts/api";
import { useNow } from "@/shared/lib/useNow";
import { Badge } from "@/shared/ui/Badge";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { stateWords } from "./words";

const tones = { ok: "ok", firing: "danger", "no-data": "warn", error: "warn" } as const;

/** How an alert stands, since when, and whether it is silent. */
export function StateBadge({ alert }: { alert: Alert }) {
  const now = useNow();
  const muted = alert.mutedUntil !== null && Date.parse(alert.mutedUntil) > now;
  return (
    <span className="flex flex-wrap items-center gap-1">
      {alert.enabled ? <Badge tone={tones[alert.state]}>{stateWords[alert.state]}</Badge> : <Badge>Off</Badge>}
      {muted && <Badge>Muted until <AbsoluteTime value={alert.mutedUntil!} /></Badge>}
      {alert.enabled && alert.since !== null && <span className="text-text-3">since <AbsoluteTime value={alert.since} /></span>}
    </span>
  );
}
