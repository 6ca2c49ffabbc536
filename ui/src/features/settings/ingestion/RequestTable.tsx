import { formatBytes, formatCount, none } from "@/shared/lib/format";
import { cx } from "@/shared/lib/classes";
import { Badge } from "@/shared/ui/Badge";
import { Id } from "@/shared/ui/Id";
import { AbsoluteTime, RelativeTime } from "@/shared/ui/RelativeTime";
import { type DetailColumn, DetailTable } from "@/shared/ui/DetailTable";
import { adviceOf, type KeyedRequest, sdkOf, toneOf } from "./requests";

const columns: DetailColumn<KeyedRequest>[] = [
  { id: "time", header: "Time", className: "w-24", cell: ({ at }) => <RelativeTime value={at} className="whitespace-nowrap text-text-2" /> },
  { id: "status", header: "Status", cell: (request) => <Badge tone={toneOf(request)}>{request.status}</Badge> },
  { id: "path", header: "Path", cell: ({ path }) => <span className="font-mono text-2xs break-all">{path}</span> },
  { id: "accepted", header: "Accepted", align: "end", cell: ({ spansAccepted }) => formatCount(spansAccepted) },
  { id: "rejected", header: "Rejected", align: "end", cell: ({ spansRejected }) => <span className={cx(spansRejected > 0 && "font-medium text-danger")}>{formatCount(spansRejected)}</span> },
  { id: "bytes", header: "Size", align: "end", cell: ({ bytes }) => <span className="whitespace-nowrap">{bytes === 0 ? none : formatBytes(bytes)}</span> },
  { id: "sdk", header: "SDK", cell: (request) => <span className="break-all text-text-2">{sdkOf(request) ?? none}</span> },
  {
    id: "reason", header: "Reason", className: "w-1/4 max-w-0",
    cell: ({ reason }) => <span className="block truncate" title={reason ?? undefined}>{reason ?? none}</span>,
  },
];

const detailsOf = (request: KeyedRequest) => <RequestDetails request={request} />;

/** The newest requests; each opens to why it was refused, and what to do about it. */
export function RequestTable({ requests }: { requests: readonly KeyedRequest[] }) {
  return <DetailTable label="Ingest requests" columns={columns} rows={requests} keyOf={({ key }) => key} nameOf={({ at, path }) => `${path} at ${at}`} details={detailsOf} />;
}

function RequestDetails({ request }: { request: KeyedRequest }) {
  const advice = adviceOf(request);
  return (
    <div className="flex flex-col gap-2 text-xs">
      {request.reason !== null && <p className="text-sm break-words">{request.reason}</p>}
      {advice !== undefined && <p className="max-w-prose text-text-2">{advice}</p>}
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-0.5 [&_dt]:text-text-3">
        <dt>Time</dt><dd><AbsoluteTime value={request.at} millis /></dd>
        <dt>Request</dt><dd className="break-all">{request.method} {request.path}</dd>
        {request.code !== null && <><dt>Code</dt><dd className="font-mono text-2xs leading-4">{request.code}</dd></>}
        <dt>Key</dt><dd>{request.publicKey === null ? none : <Id value={request.publicKey} label="public key" />}{!request.proved && <span className="text-warn"> Its secret was not proved: anybody who knows the public half can cause this.</span>}</dd>
        <dt>Newest form of spans</dt><dd>{request.ingestionVersion4 ? "announced" : "not announced"}</dd>
      </dl>
    </div>
  );
}
