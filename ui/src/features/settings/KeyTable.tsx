import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { useNow } from "@/shared/lib/useNow";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { Id } from "@/shared/ui/Id";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import { useToast } from "@/shared/ui/Toast";
import { type ApiKey, keysQuery, revokeKey } from "./api";
import { scopes } from "./keys";

const keyOf = (key: ApiKey) => key.id;
const nameOf = (key: ApiKey) => key.name ?? key.publicKey;

const columnsOf = (onRevoke: (key: ApiKey) => void): ShortColumn<ApiKey>[] => [
  { header: "Note", cell: (key) => <span className={cx("break-words", key.name === null && "font-normal text-text-3")}>{key.name ?? "No note"}</span> },
  { header: "Key", cell: ({ publicKey, displaySecretKey }) => <KeyHalves publicKey={publicKey} secret={displaySecretKey} /> },
  { header: "Scope", cell: (key) => <Badge>{scopes.find(({ value }) => value === key.scope)?.label ?? key.scope}</Badge> },
  { header: "Created", cell: (key) => <RelativeTime value={key.createdAt} /> },
  { header: "Last used", cell: (key) => (key.lastUsedAt === null ? <span className="text-text-3">Never</span> : <RelativeTime value={key.lastUsedAt} />) },
  { header: "Expires", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { header: "Actions", headerHidden: true, cell: (key) => <Button variant="danger" onClick={() => onRevoke(key)}>Revoke…<span className="sr-only"> {nameOf(key)}</span></Button> },
];

export function KeyTable({ keys }: { keys: readonly ApiKey[] }) {
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <>
      <ShortTable label="API keys" columns={columnsOf(setRevoking)} rows={keys} keyOf={keyOf} />
      {revoking !== null && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function KeyHalves({ publicKey, secret }: { publicKey: string; secret: string }) {
  return (
    <span className="flex min-w-0 flex-col items-start @max-2xl:items-end">
      <Id value={publicKey} label="public key" className="max-w-48" />
      <span className="font-mono text-2xs text-text-3">{secret}</span>
    </span>
  );
}

function Expiry({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span className="text-text-3">Never</span>;
  if (new Date(at).getTime() <= now) return <Badge tone="warn">Expired</Badge>;
  return <RelativeTime value={at} />;
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const revoke = useMutation({
    mutationFn: () => revokeKey(project, apiKey.id),
    onSuccess: async () => {
      toast({ title: `Revoked ${nameOf(apiKey)}` });
      onClose();
      await queries.invalidateQueries({ queryKey: keysQuery(project).queryKey });
    },
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  return (
    <AlertDialog
      open onOpenChange={onClose} title={`Revoke ${nameOf(apiKey)}?`} action="Revoke key" confirmText={nameOf(apiKey)} busy={revoke.isPending} onConfirm={() => revoke.mutate()}
      description={<>Programs that use it are refused within a second. What they sent stays. {apiKey.lastUsedAt === null ? "It was never used." : <>It was last used <RelativeTime value={apiKey.lastUsedAt} />.</>}</>}
    />
  );
}
