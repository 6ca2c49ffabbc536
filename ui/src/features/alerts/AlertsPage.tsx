import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bell } from "lucide-react";
import { alertsQuery, type Alert } from "@/shared/alerts/api";
import { useProject } from "@/shared/api/project";
import { useUrlState } from "@/shared/lib/useUrlState";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { Skeleton } from "@/shared/ui/Skeleton";
import { AlertActions } from "./AlertActions";
import { AlertHistory } from "./AlertHistory";
import { StateBadge } from "./StateBadge";
import { TargetList } from "./TargetList";
import { conditionText, filterText, minutesText } from "./words";

/** What the project watches, how it stands, and who is told. */
export function AlertsPage() {
  const project = useProject();
  const [selected, select] = useUrlState("alert", "", { push: true });
  const { data, error, isPending, refetch } = useQuery(alertsQuery(project));
  const shown = data?.find(({ id }) => id === selected);
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader title="Alerts" documentTitle={`Alerts · ${project.name}`} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
      <section tabIndex={0} aria-label="Alerts" className="min-h-0 flex-1 overflow-auto">
        <div className="mx-auto flex max-w-screen-xl flex-col gap-4 p-4 max-sm:p-3">
          {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
          {isPending && <div role="status" aria-label="Loading" className="flex flex-col gap-3"><Skeleton /><Skeleton /><Skeleton /></div>}
          {data?.length === 0 && (
            <EmptyState icon={Bell} title="Nothing is watched yet" actions={<Link to="/project/$projectId/dashboards" params={{ projectId: project.id }} className={buttonClass("primary")}>Choose a tile</Link>}>
              An alert is made from a tile of a dashboard: open the tile’s menu and choose “Create an alert”.
            </EmptyState>
          )}
          {data !== undefined && data.length > 0 && <ShortTable label="Alerts" rows={data} keyOf={({ id }) => id} columns={columnsOf(selected, select)} />}
          {shown !== undefined && <Panel title={`History of ${shown.name}`}><AlertHistory alertId={shown.id} /></Panel>}
          <TargetList />
        </div>
      </section>
    </div>
  );
}

const columnsOf = (selected: string, select: (id: string) => void): ShortColumn<Alert>[] => [
  { header: "Name", cell: (alert) => <NameCell alert={alert} onSelect={() => select(alert.id === selected ? "" : alert.id)} open={alert.id === selected} /> },
  { header: "State", cell: (alert) => <StateBadge alert={alert} /> },
  { header: "Value", cell: ({ value }) => value ?? "–" },
  { header: "Evaluated", cell: ({ evaluatedAt, everyMinutes }) => <span>{evaluatedAt === null ? "not yet" : <RelativeTime value={evaluatedAt} />}<span className="text-text-3">, every {minutesText(everyMinutes)}</span></span> },
  { header: "Actions", headerHidden: true, cell: (alert) => <AlertActions alert={alert} /> },
];

function NameCell({ alert, open, onSelect }: { alert: Alert; open: boolean; onSelect: () => void }) {
  const rows = filterText(alert);
  return (
    <span className="flex min-w-0 flex-col py-1">
      <button type="button" aria-expanded={open} className="min-h-6 self-start text-left text-sm font-medium text-accent hover:underline" onClick={onSelect}>{alert.name}</button>
      <span className="text-text-2">{conditionText(alert)}{rows !== "" && <>, of rows with <code className="font-mono break-all">{rows}</code></>}</span>
      {alert.reason !== null && alert.state !== "ok" && <span className="text-text-2">{alert.reason}</span>}
    </span>
  );
}
