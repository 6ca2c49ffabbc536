import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ClipboardList, Database, Ellipsis, FlaskConical, GitCompareArrows, Info, Share2, Star } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import type { TraceHead } from "@/shared/trace/rows";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";

const ShareDialog = lazy(async () => ({ default: (await import("./dialogs/ShareDialog")).ShareDialog }));
const QueueDialog = lazy(async () => ({ default: (await import("./dialogs/QueueDialog")).QueueDialog }));
const CompareDialog = lazy(async () => ({ default: (await import("./dialogs/CompareDialog")).CompareDialog }));
const DatasetDialog = lazy(async () => ({ default: (await import("./dialogs/DatasetDialog")).DatasetDialog }));

/** An observation by name. */
export interface Named {
  id: string;
  name: string;
}

interface TraceActionsProps {
  head: TraceHead;
  /** The first observation of the trace; undefined while there is none. */
  root: Named | undefined;
  chosen: Named | undefined;
  onDetails: () => void;
}

/** What can be done with a trace: mark it, share it, take it along. */
export function TraceActions({ head, root, chosen, onDetails }: TraceActionsProps) {
  const { id: projectId, role } = useProject();
  const navigate = useNavigate();
  const { flags, set } = useFlags(head);
  const [dialog, setDialog] = useState<"share" | "queue" | "dataset" | "compare" | null>(null);
  const close = () => setDialog(null);
  const member = allows(role, "MEMBER");
  const tryIt = (id: string) => void navigate({ to: "/project/$projectId/playground", params: { projectId }, search: { from: `observation:${head.id}:${id}` } as never });
  return (
    <>
      <IconButton
        icon={Star} label={flags.bookmarked ? "Remove the bookmark" : "Bookmark"} aria-pressed={flags.bookmarked} disabled={!member}
        iconClassName={cx(flags.bookmarked && "fill-current text-warn")} onClick={() => set({ bookmarked: !flags.bookmarked })}
      />
      <Button variant="primary" icon={Share2} onClick={() => setDialog("share")}><span className="max-md:sr-only">Share</span></Button>
      <Menu trigger={<IconButton icon={Ellipsis} label="More" />} className="w-56">
        {member && <MenuItem icon={Database} onSelect={() => setDialog("dataset")}>Add to dataset</MenuItem>}
        {member && <MenuItem icon={ClipboardList} onSelect={() => setDialog("queue")}>Add to annotation queue</MenuItem>}
        {member && chosen !== undefined && <MenuItem icon={FlaskConical} onSelect={() => tryIt(chosen.id)}>Try it in the playground</MenuItem>}
        <MenuItem icon={GitCompareArrows} onSelect={() => setDialog("compare")}>Compare with…</MenuItem>
        <MenuItem icon={Info} onSelect={onDetails}>Details of the trace</MenuItem>
      </Menu>
      <Suspense>
        {dialog === "share" && <ShareDialog traceId={head.id} isPublic={flags.public} onPublic={member ? (isPublic) => set({ public: isPublic }) : undefined} onClose={close} />}
        {dialog === "queue" && <QueueDialog traceId={head.id} chosen={chosen} onClose={close} />}
        {dialog === "compare" && <CompareDialog head={head} onClose={close} />}
        {dialog === "dataset" && root !== undefined && <DatasetDialog traceId={head.id} root={root} chosen={chosen} onClose={close} />}
      </Suspense>
    </>
  );
}

type Flags = Pick<TraceHead, "public" | "bookmarked">;

/** The flags of the trace as they will be once the server has written them down; they are back where they were when it refuses. */
function useFlags(head: TraceHead) {
  const { api } = useProject();
  const toast = useToast();
  const [changed, setChanged] = useState<Partial<Flags>>({});
  const change = useMutation({
    mutationFn: (flags: Partial<Flags>) => api.PATCH("/api/public/traces/{traceId}", { params: { path: { traceId: head.id } }, body: flags }),
    onMutate: (flags) => setChanged((before) => ({ ...before, ...flags })),
    onError: (error) => {
      setChanged({});
      toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message });
    },
  });
  const flags: Flags = { public: changed.public ?? head.public, bookmarked: changed.bookmarked ?? head.bookmarked };
  return { flags, set: change.mutate };
}
