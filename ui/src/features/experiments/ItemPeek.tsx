import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, GitCompareArrows } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useMemo } from "react";
import { useProject } from "@/shared/api/project";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { Sheet } from "@/shared/ui/Sheet";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type ComparedItem, type ItemRun, loadItem } from "./api";
import type { Side } from "./model";
import { iconLink, RunFigures, TraceLink } from "./RunCell";
import { RunText } from "./RunText";
import { SideMark } from "./SideMark";
import type { Results } from "./useResults";

/** One item beside the list: what went in, what was expected, and what every run made of it. */
export function ItemPeek({ results }: { results: Results }) {
  const project = useProject();
  const { item, setItem, pages, compared, sides } = results;
  const found = useQuery({
    queryKey: ["compared item", project.id, compared, item],
    enabled: item !== "",
    queryFn: async ({ signal }) => (await loadItem(project, compared, item, signal)) ?? null,
  });
  const ids = useMemo(() => pages.rows.list.map(({ itemId }) => itemId), [pages.rows.list]);
  const at = ids.indexOf(item);
  const [before, after] = at < 0 ? [undefined, ids[0]] : [ids[at - 1], ids[at + 1]];
  const onKeyDown = (event: KeyboardEvent) => {
    const next = event.key === "ArrowLeft" ? before : event.key === "ArrowRight" ? after : undefined;
    if (next === undefined || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    setItem(next);
  };
  return (
    <Sheet open={item !== ""} onOpenChange={(open) => !open && setItem("")} title={item || "Item"}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrows turn pages wherever the focus is inside */}
      <div className="flex flex-col gap-4 p-4" onKeyDown={onKeyDown}>
        <div className="flex items-center gap-2 text-xs text-text-2">
          <IconButton icon={ChevronLeft} label="Previous item" keys="←" disabled={before === undefined} onClick={() => before !== undefined && setItem(before)} />
          <IconButton icon={ChevronRight} label="Next item" keys="→" disabled={after === undefined} onClick={() => after !== undefined && setItem(after)} />
          <span role="status">{at < 0 ? "" : `${pages.rows.first + at + 1} of ${pages.head?.total ?? ids.length}`}</span>
        </div>
        {found.isError && <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />}
        {found.isPending && <SkeletonRows rows={6} label="Loading the item" />}
        {found.data === null && <EmptyState title="None of these runs has this item">It may belong to another dataset. Close this, and choose an item of the list.</EmptyState>}
        {found.data && <ItemTexts item={found.data} sides={sides} results={results} />}
      </div>
    </Sheet>
  );
}

function ItemTexts({ item, sides, results }: { item: ComparedItem; sides: readonly Side[]; results: Results }) {
  const baseline = item.runs.find((run) => run.experimentId === sides[0]?.id);
  const first = item.runs[0];
  return (
    <>
      <Text title="Input">{first?.input || "No input"}</Text>
      <Text title="Expected output">{first?.expectedOutput || "Nothing was expected"}</Text>
      {sides.map((side, index) => {
        const run = item.runs.find((one) => one.experimentId === side.id);
        return (
          <section key={side.id} aria-label={`${side.letter}, ${side.name}`} className="flex flex-col gap-1.5">
            <h3 className="flex items-center gap-2 text-xs font-medium">
              <SideMark side={side} /><span className="min-w-0 flex-1 truncate">{side.name}</span>
              {run !== undefined && index > 0 && baseline !== undefined && <DiffLink before={baseline} after={run} label={`Compare the traces of ${sides[0]!.letter} and ${side.letter}`} />}
              {run !== undefined && <TraceLink run={run} label={`Trace of ${item.itemId} in ${side.letter}`} />}
            </h3>
            {run === undefined ? <p className="text-xs text-text-3">Not run</p> : (
              <>
                <RunFigures run={run} />
                <TextBox><RunText run={run} baseline={index === 0 ? undefined : baseline} against={results.against} /></TextBox>
              </>
            )}
          </section>
        );
      })}
    </>
  );
}

/** Both traces, row by row. */
function DiffLink({ before, after, label }: { before: ItemRun; after: ItemRun; label: string }) {
  const { id: projectId } = useProject();
  return (
    <Link to="/project/$projectId/traces/diff" params={{ projectId }} search={{ a: before.traceId, b: after.traceId } as never} title="Compare the traces" aria-label={label} className={iconLink}>
      <GitCompareArrows size={14} aria-hidden />
    </Link>
  );
}

function Text({ title, children }: { title: string; children: string }) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h3 className="text-xs font-medium">{title}</h3>
      <TextBox>{children}</TextBox>
    </section>
  );
}

function TextBox({ children }: { children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <p tabIndex={0} className="max-h-80 overflow-auto rounded-md border border-line bg-surface p-2 text-xs break-words whitespace-pre-wrap">{children}</p>
  );
}
