import { useQuery } from "@tanstack/react-query";
import { historyQuery, targetsQuery } from "@/shared/alerts/api";
import { useProject } from "@/shared/api/project";
import { ErrorState } from "@/shared/ui/ErrorState";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { Skeleton } from "@/shared/ui/Skeleton";
import { stateWords, toldText } from "./words";

/** The changes of an alert, newest first, and what became of the messages about them. */
export function AlertHistory({ alertId }: { alertId: string }) {
  const project = useProject();
  const { data, error, isPending, refetch } = useQuery(historyQuery(project, alertId));
  const { data: targets } = useQuery(targetsQuery(project));
  const nameOf = (id: string) => targets?.find((target) => target.id === id)?.name ?? "a target that is gone";
  if (error !== null && data === undefined) return <ErrorState compact error={error} onRetry={() => void refetch()} />;
  if (isPending) return <div role="status" aria-label="Loading" className="p-4"><Skeleton /></div>;
  if (data.length === 0) return <p className="px-4 py-6 text-center text-xs text-text-3">Its state has not changed yet.</p>;
  return (
    <ol className="flex flex-col px-4 pb-3 text-xs">
      {data.map((change) => (
        <li key={change.id} className="flex flex-wrap gap-x-3 gap-y-0.5 border-t border-line py-2 first:border-t-0">
          <span className="text-text-2"><AbsoluteTime value={change.at} /></span>
          <span className="font-medium">{change.from === change.to ? stateWords[change.to] : `${stateWords[change.from]} → ${stateWords[change.to]}`}</span>
          {change.value !== null && <span>value {change.value}</span>}
          {change.reason !== null && <span className="text-text-2">{change.reason}</span>}
          <span className="ml-auto text-text-2">{toldText(change.deliveries, change.muted)}</span>
          {change.deliveries.filter(({ lastError }) => lastError !== null).map(({ targetId, lastError, attempts }) => <span key={targetId} className="w-full text-danger">{nameOf(targetId)}: {lastError}, after {attempts} {attempts === 1 ? "attempt" : "attempts"}</span>)}
        </li>
      ))}
    </ol>
  );
}
