import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { useSession } from "@/shared/api/session";
import { formatCount } from "@/shared/lib/format";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { TextArea } from "@/shared/ui/TextField";
import type { Subject } from "@/shared/score/subject";

const longestComment = 5000;

/** What people wrote about an observation or a trace, the newest first. */
export function CommentsPanel({ subject, asked }: { subject: Subject; asked: number }) {
  const { api, id, role } = useProject();
  const { user } = useSession();
  const queries = useQueryClient();
  const objectType = subject.observationId === undefined ? ("TRACE" as const) : ("OBSERVATION" as const);
  const objectId = subject.observationId ?? subject.traceId;
  const queryKey = ["comments", id, objectType, objectId];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await api.GET("/api/public/comments", { params: { query: { objectType, objectId, limit: "100" } }, signal })).data,
  });
  const add = useMutation({
    mutationFn: (content: string) => api.POST("/api/public/comments", { body: { objectType, objectId, content, authorUserId: user?.id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <div className="flex flex-col gap-3 p-3 [[role=tabpanel].p-3_&]:p-0">
      {allows(role, "MEMBER") && <CommentForm asked={asked} busy={add.isPending} error={add.error} onSend={(content, done) => add.mutate(content, { onSuccess: done })} />}
      {error !== null && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <SkeletonRows rows={2} label="Loading comments" />}
      {data?.data.length === 0 && <p className="text-xs text-text-2">No comments yet. What you write here is seen by everybody in the project.</p>}
      {data !== undefined && data.data.length > 0 && (
        <ul aria-label="Comments" className="flex flex-col gap-2">
          {data.data.map((comment) => (
            <li key={comment.id} className="rounded-lg border border-line px-3 py-2">
              <p className="flex gap-2 text-2xs text-text-3">
                <span className="font-medium text-text-2">{comment.authorUserId === null ? "API" : comment.authorUserId === user?.id ? "You" : "A colleague"}</span>
                <RelativeTime value={comment.createdAt} />
              </p>
              <p className="mt-1 text-sm break-words whitespace-pre-wrap">{comment.content}</p>
            </li>
          ))}
        </ul>
      )}
      {data !== undefined && data.meta.totalItems > data.data.length && <p className="text-xs text-text-2">The newest {data.data.length} of {formatCount(data.meta.totalItems)} comments.</p>}
    </div>
  );
}

interface CommentFormProps {
  asked: number;
  busy: boolean;
  error: unknown;
  onSend: (content: string, done: () => void) => void;
}

function CommentForm({ asked, busy, error, onSend }: CommentFormProps) {
  const [content, setContent] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (asked > 0) form.current?.querySelector("textarea")?.focus();
  }, [asked]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (content.trim() !== "" && !busy) onSend(content.trim(), () => setContent(""));
  };
  return (
    <form ref={form} aria-label="Comment" className="flex flex-col gap-2" onSubmit={send}>
      <TextArea
        label="Comment" rows={3} value={content} onChange={setContent} maxLength={longestComment} error={error ? describeError(error).message : undefined}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
        }}
      />
      <div className="flex justify-end"><Button type="submit" variant="primary" busy={busy} disabled={content.trim() === ""}>Comment</Button></div>
    </form>
  );
}
