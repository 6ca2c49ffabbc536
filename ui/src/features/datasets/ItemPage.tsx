import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ExternalLink, Save } from "lucide-react";
import { useMemo } from "react";
import { allows, useProject } from "@/shared/api/project";
import { DiffView } from "@/shared/code/DiffView";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Badge } from "@/shared/ui/Badge";
import { Banner } from "@/shared/ui/Banner";
import { Button, buttonClass } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type Dataset, datasetQuery, fieldLabels, fields, type Item, itemQuery } from "./api";
import { Crumbs } from "./Crumbs";
import { ItemActions } from "./ItemActions";
import { ItemFields } from "./ItemFields";
import { textsOf } from "./texts";
import { useItemDraft } from "./useItemDraft";
import { VersionRail } from "./VersionRail";

/** An item of a dataset: what it is, what it was, and how that differs. */
export function ItemPage() {
  const project = useProject();
  const { datasetId, itemId } = useParams({ strict: false }) as { datasetId: string; itemId: string };
  const [version] = useUrlState("version");
  const [compared] = useUrlState("diff");
  const dataset = useQuery(datasetQuery(project, datasetId));
  const item = useQuery(itemQuery(project, itemId, version));
  const other = useQuery({ ...itemQuery(project, itemId, compared), enabled: compared !== "" });
  const error = dataset.error ?? item.error ?? (compared === "" ? null : other.error);
  if (error !== null) return <><h1 className="sr-only">Item</h1><ErrorState error={error} onRetry={() => void Promise.all([dataset.refetch(), item.refetch()])} /></>;
  if (dataset.data === undefined || item.data === undefined) return <><h1 className="sr-only">Item</h1><SkeletonRows rows={8} label="Loading the item" /></>;
  return <ItemScreen key={`${itemId} ${version} ${item.data.version}`} dataset={dataset.data} item={item.data} isOld={version !== ""} other={compared === "" ? undefined : other.data} comparing={compared !== ""} />;
}

interface ItemScreenProps {
  dataset: Dataset;
  item: Item;
  /** It is a version of the past. */
  isOld: boolean;
  other: Item | undefined;
  comparing: boolean;
}

function ItemScreen({ dataset, item, isOld, other, comparing }: ItemScreenProps) {
  const { id: projectId, role } = useProject();
  const [, setVersion] = useUrlState("version", "", { push: true });
  const before = useMemo(() => textsOf(item), [item]);
  const draft = useItemDraft(dataset, before, item.id, () => undefined);
  const mayWrite = allows(role, "MEMBER") && !isOld && !comparing;
  useShortcuts("Item", mayWrite ? [{ keys: "mod+s", label: "Save", run: draft.save }] : []);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title={item.id} documentTitle={`${item.id} · ${dataset.name}`}
        actions={
          <>
            {item.sourceTraceId !== null && (
              <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId: item.sourceTraceId }} search={(item.sourceObservationId === null ? {} : { observation: item.sourceObservationId }) as never} className={buttonClass()}>
                <ExternalLink size={14} aria-hidden />Source trace
              </Link>
            )}
            {mayWrite && <ItemActions dataset={dataset} item={item} />}
            {mayWrite && draft.changed.length > 0 && <Button onClick={draft.reset}>Discard</Button>}
            {mayWrite && <Button variant="primary" icon={Save} busy={draft.saving} disabled={draft.changed.length === 0 || !draft.isValid} onClick={draft.save}>Save</Button>}
          </>
        }
      >
        <Badge tone={item.status === "ACTIVE" ? "ok" : "neutral"}>{item.status === "ACTIVE" ? "active" : "archived"}</Badge>
        <Crumbs path="" dataset={dataset} />
      </PageHeader>
      <div className="flex min-h-0 flex-1 flex-col overflow-auto md:flex-row md:overflow-hidden">
        <div className="min-w-0 flex-1 p-4 md:overflow-auto">
          {isOld && !comparing && <Banner className="mb-3" actions={<Button onClick={() => setVersion("")}>Show it as it is</Button>}>The item as it was at <AbsoluteTime value={item.version} millis />.</Banner>}
          {comparing && other !== undefined && <Differences before={other} after={item} />}
          {!comparing && <ItemFields texts={draft.texts} onChange={mayWrite ? draft.set : undefined} problems={draft.problems} />}
        </div>
        <VersionRail itemId={item.id} />
      </div>
    </div>
  );
}

function Differences({ before, after }: { before: Item; after: Item }) {
  const [was, is] = [textsOf(before), textsOf(after)];
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-text-2">What changed from <AbsoluteTime value={before.version} millis /> to <AbsoluteTime value={after.version} millis />{before.status !== after.status && `; it was ${before.status.toLowerCase()} and is ${after.status.toLowerCase()}`}.</p>
      {fields.map((field) => (
        <section key={field} aria-label={fieldLabels[field]} className="flex flex-col gap-1">
          <h2 className="text-xs font-medium text-text-2">{fieldLabels[field]}</h2>
          {was[field] === is[field] ? <p className="text-xs text-text-3">{is[field] === "" ? "Nothing in both." : "The same in both."}</p> : <DiffView before={was[field]} after={is[field]} language="json" />}
        </section>
      ))}
    </div>
  );
}
