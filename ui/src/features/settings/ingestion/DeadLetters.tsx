import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { formatBytes, formatCount, none } from "@/shared/lib/format";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { AbsoluteTime, RelativeTime } from "@/shared/ui/RelativeTime";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type DetailColumn, DetailTable } from "@/shared/ui/DetailTable";
import { useToast } from "@/shared/ui/Toast";
import { RoleNote, Section } from "../Section";
import { type DeadLetter, deleteLetter, lettersQuery, redriveLetter, requestsQuery } from "./api";

/** Records that could not be stored: why, and what becomes of them. */
export function DeadLetters() {
  const { role } = useProject();
  return (
    <Section title="Dead letters" description="Data that was accepted and could not be stored. It is kept until it is stored or dropped. Read the reason, mend the cause, then store it again: nothing is stored twice.">
      {allows(role, "ADMIN") ? <LetterList /> : <RoleNote>Dead letters are seen by those with the role ADMIN. You are {role} here.</RoleNote>}
    </Section>
  );
}

function LetterList() {
  const project = useProject();
  const [dropping, setDropping] = useState<DeadLetter | null>(null);
  const { data, error, refetch } = useQuery(lettersQuery(project));
  if (data === undefined) return error !== null ? <ErrorState compact error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={2} label="Loading dead letters" />;
  return (
    <>
      {error !== null && <Banner tone="danger" actions={<Button onClick={() => void refetch()}>Try again</Button>}>The newest could not be read: {describeError(error).message}</Banner>}
      {data.list.length === 0 ? <p className="text-sm text-text-2">None: all that was accepted could be stored.</p> : (
        <DetailTable label="Dead letters" rows={data.list} columns={columnsOf(setDropping)} keyOf={({ id }) => id} nameOf={({ id }) => `dead letter ${id}`} details={detailsOf} />
      )}
      {data.more && <p className="text-xs text-text-2">These are the newest {formatCount(data.list.length)}. Store or drop some of them to see the others.</p>}
      {dropping !== null && <Drop letter={dropping} onClose={() => setDropping(null)} />}
    </>
  );
}

const columnsOf = (onDrop: (letter: DeadLetter) => void): DetailColumn<DeadLetter>[] => [
  { id: "time", header: "Since", cell: ({ buriedAt }) => <RelativeTime value={buriedAt} className="whitespace-nowrap text-text-2" /> },
  { id: "kind", header: "Holds", cell: ({ kind }) => kind ?? none },
  { id: "reason", header: "Reason", className: "w-1/2 max-w-0", cell: ({ reason }) => <span className="block truncate" title={reason}>{reason}</span> },
  { id: "bytes", header: "Size", align: "end", cell: ({ bytes }) => <span className="whitespace-nowrap">{formatBytes(bytes)}</span> },
  { id: "redriven", header: "Tried again", align: "end", cell: ({ redriven }) => formatCount(redriven) },
  {
    id: "actions", header: "Actions", headerHidden: true, align: "end",
    cell: (letter) => <span className="inline-flex gap-1"><Redrive letter={letter} /><IconButton icon={Trash2} label={`Drop dead letter ${letter.id}`} onClick={() => onDrop(letter)} /></span>,
  },
];

const detailsOf = (letter: DeadLetter) => <LetterDetails letter={letter} />;

function LetterDetails({ letter }: { letter: DeadLetter }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm break-words">{letter.reason}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 [&_dt]:text-text-3">
        <dt>Dead letter</dt><dd>{letter.id}</dd>
        <dt>Since</dt><dd><AbsoluteTime value={letter.buriedAt} millis /></dd>
        <dt>Place in the log</dt><dd>partition {letter.origin.partition}, record {letter.origin.sequence}</dd>
      </dl>
    </div>
  );
}

/** Reads again what a change of letters touches: their list, and the count above it. */
function useRefresh(): () => Promise<unknown> {
  const project = useProject();
  const queries = useQueryClient();
  return () => Promise.all([lettersQuery(project), requestsQuery(project)].map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
}

function Redrive({ letter: { id } }: { letter: DeadLetter }) {
  const project = useProject();
  const toast = useToast();
  const refresh = useRefresh();
  const redrive = useMutation({
    mutationFn: () => redriveLetter(project, id),
    onSuccess: () => {
      toast({ kind: "ok", title: `Dead letter ${id} is on its way again`, detail: "If it cannot be stored this time either, it comes back here." });
      return refresh();
    },
    onError: (error) => toast({ kind: "error", title: `Dead letter ${id} stays`, detail: describeError(error).message }),
  });
  return <Button icon={RotateCw} busy={redrive.isPending} onClick={() => redrive.mutate()}>Store again<span className="sr-only"> dead letter {id}</span></Button>;
}

function Drop({ letter, onClose }: { letter: DeadLetter; onClose: () => void }) {
  const project = useProject();
  const toast = useToast();
  const refresh = useRefresh();
  const drop = useMutation({
    mutationFn: () => deleteLetter(project, letter.id),
    onSuccess: async () => {
      await refresh();
      toast({ kind: "ok", title: `Dead letter ${letter.id} was dropped` });
      onClose();
    },
  });
  return (
    <AlertDialog
      open onOpenChange={onClose} title="Drop this dead letter?" action="Drop for good" confirmText="drop" busy={drop.isPending} onConfirm={() => drop.mutate()}
      description={
        <>
          {drop.error !== null && <Banner tone="danger" className="mb-2">{describeError(drop.error).message}</Banner>}
          <p>The {formatBytes(letter.bytes)} that it holds are gone then, and what was in them is never stored. Nobody can bring them back.</p>
        </>
      }
    />
  );
}
