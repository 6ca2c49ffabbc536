import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, RotateCw } from "lucide-react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { formatCount } from "@/shared/lib/format";
import { useNow } from "@/shared/lib/useNow";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { useToast } from "@/shared/ui/Toast";
import { Section } from "../Section";
import { recentDays, reprice, unpricedQuery } from "./api";
import type { Model } from "./definition";
import { findModel } from "./match";

/** Models that were used and cost nothing, because no price was known: each is one press away from having one. */
export function UnpricedInbox({ models, onAdd }: { models: readonly Model[] | undefined; onAdd: (name: string) => void }) {
  const project = useProject();
  const now = useNow();
  const { data, error, isPending, refetch } = useQuery(unpricedQuery(project));
  return (
    <Section title="Used without a price" description={`Models of the last ${recentDays} days that no price matched, so that their observations have no cost.`} actions={data !== undefined && data.names.length > 0 && <Badge tone="warn">{data.more ? `${data.names.length}+` : data.names.length}</Badge>}>
      {error !== null && data === undefined && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={2} label="Loading models without a price" />}
      {data?.names.length === 0 && <p className="text-sm text-text-2">None: every model has a price, or came with a cost of its own.</p>}
      {data !== undefined && data.names.length > 0 && (
        <ul className="divide-y divide-line border-y border-line">
          {data.names.map(({ name, count }) => <UnpricedRow key={name} name={name} count={count} sampled={data.sampled} priced={models !== undefined && findModel(models, name, now).model !== undefined} onAdd={() => onAdd(name)} />)}
        </ul>
      )}
    </Section>
  );
}

interface RowProps {
  name: string;
  count: number;
  sampled: boolean;
  /** It has a price by now; what was stored before has none. */
  priced: boolean;
  onAdd: () => void;
}

function UnpricedRow({ name, count, sampled, priced, onAdd }: RowProps) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const job = useMutation({
    mutationFn: () => reprice(project, name),
    onSuccess: () => {
      toast({ kind: "ok", title: `${name} is being priced`, detail: "A background job goes through what is stored. It leaves this list when that is done." });
      void queries.invalidateQueries({ queryKey: unpricedQuery(project).queryKey });
    },
    onError: (failure) => toast({ kind: "error", title: `${name} was not priced`, detail: describeError(failure).message }),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-2 py-1.5 text-xs">
      <span className="min-w-0 font-medium break-all">{name}</span>
      <span className="text-text-2">{sampled && "about "}{formatCount(count)} {count === 1 ? "observation" : "observations"} without a cost{priced && ", stored before it had a price"}</span>
      {allows(project.role, "ADMIN") && (
        <span className="ml-auto">
          {priced
            ? <Button icon={RotateCw} busy={job.isPending} disabled={job.isSuccess} onClick={() => job.mutate()}>{job.isSuccess ? "Being priced" : "Price what is stored"}<span className="sr-only"> of {name}</span></Button>
            : <Button icon={Plus} onClick={onAdd}>Add price<span className="sr-only"> for {name}</span></Button>}
        </span>
      )}
    </li>
  );
}
