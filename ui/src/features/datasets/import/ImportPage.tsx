import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import { type ReactNode, useId } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { formatBytes, formatCount, formatNumberOf } from "@/shared/lib/format";
import { Banner } from "@/shared/ui/Banner";
import { Button, buttonClass } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { LiveRegion } from "@/shared/ui/LiveRegion";
import { PageHeader } from "@/shared/ui/PageHeader";
import { ProgressBar } from "@/shared/ui/ProgressBar";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { type Dataset, datasetQuery } from "../api";
import { Crumbs } from "../Crumbs";
import { Failures } from "./Failures";
import { MappingTable } from "./MappingTable";
import { type Import, useImport } from "./useImport";

/** Brings the rows of a file into a dataset. */
export function ImportPage() {
  const project = useProject();
  const { datasetId } = useParams({ strict: false }) as { datasetId: string };
  const { data, error, refetch } = useQuery(datasetQuery(project, datasetId));
  if (error !== null) return <><h1 className="sr-only">Import</h1><ErrorState error={error} onRetry={() => void refetch()} /></>;
  if (data === undefined) return <><h1 className="sr-only">Import</h1><SkeletonRows rows={6} label="Loading the dataset" /></>;
  return <ImportSteps dataset={data} />;
}

function ImportSteps({ dataset }: { dataset: Dataset }) {
  const work = useImport(dataset.id);
  const { chosen, check, write } = work;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader title="Import items" documentTitle={`Import · ${dataset.name}`}><Crumbs path="" dataset={dataset} /></PageHeader>
      <div className="min-h-0 flex-1 overflow-auto p-4">
        <div className="mx-auto flex max-w-4xl flex-col gap-6">
          <Step number={1} title="Choose a file"><FileChoice work={work} /></Step>
          {chosen !== undefined && <Step number={2} title="Say what the columns are"><MappingTable work={work} chosen={chosen} /></Step>}
          {chosen !== undefined && <Step number={3} title="Check it"><Check work={work} /></Step>}
          {check.data !== undefined && <Step number={4} title="Import"><Write work={work} dataset={dataset} /></Step>}
        </div>
      </div>
      <LiveRegion>{write.isSuccess ? "The import is done" : check.isSuccess ? `Checked, ${formatNumberOf(check.data.failed, "row")} would fail` : ""}</LiveRegion>
    </div>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <h2 id={id} className="flex items-center gap-2 text-base font-medium"><span aria-hidden className="inline-flex size-6 items-center justify-center rounded-full bg-selected text-xs">{number}</span>{title}</h2>
      {children}
    </section>
  );
}

function FileChoice({ work: { chosen, choose, choosing, chooseError, check, write } }: { work: Import }) {
  const id = useId();
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <label htmlFor={id} className={buttonClass(chosen === undefined ? "primary" : "secondary", "cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-focus")}>
          <FileUp size={14} aria-hidden />{chosen === undefined ? "Choose a CSV or JSONL file" : "Choose another file"}
          <input
            id={id} type="file" accept=".csv,.tsv,.txt,.jsonl,.ndjson" className="sr-only" disabled={choosing || check.isPending || write.isPending} aria-describedby={`${id}-hint`}
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file !== undefined) choose(file);
              event.target.value = ""; // the same file may be chosen again, changed
            }}
          />
        </label>
        {chosen !== undefined && <span className="min-w-0 truncate text-sm">{chosen.file.name} <span className="text-text-3">{formatBytes(chosen.file.size)}, {formatNumberOf(chosen.columns.length, "column")}</span></span>}
      </div>
      <p id={`${id}-hint`} className="text-xs text-text-3">CSV with a line of names, or JSONL with an object in each line; in UTF-8. It is read here piece by piece, so it may be large.</p>
      {chooseError !== null && <Banner tone="danger">{chooseError.message}</Banner>}
    </div>
  );
}

function Running({ work: { progress, chosen, stop }, label }: { work: Import; label: string }) {
  return (
    <div className="flex flex-col gap-2">
      <ProgressBar label={label} done={progress?.read ?? 0} total={chosen?.file.size} />
      <div className="flex items-center gap-3 text-xs text-text-2">
        <span>{formatNumberOf(progress?.rows ?? 0, "row")}{(progress?.failed ?? 0) > 0 && `, ${formatCount(progress?.failed)} that fail`}</span>
        <Button onClick={stop}>Cancel</Button>
      </div>
    </div>
  );
}

function Check({ work }: { work: Import }) {
  const { check, write, mapping, stopped } = work;
  const ready = [...mapping.values()].some((target) => target === "input" || target === "expectedOutput" || target === "metadata");
  if (check.isPending) return <Running work={work} label="Bytes checked" />;
  const result = check.data;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-xs text-text-2">Every row is held to the schemas of the dataset and to the ids that are there. Nothing is written yet.</p>
      {check.error !== null && !stopped && <Banner tone="danger">{describeError(check.error).message}</Banner>}
      {check.error !== null && stopped && <Banner>The check was ended. Nothing was written.</Banner>}
      {!ready && <Banner tone="warn">Choose at least one column for input, expected output or metadata.</Banner>}
      {result !== undefined && (
        <p className="text-sm">{formatNumberOf(result.created, "item")} would be new, {formatCount(result.changed)} would get another version, {formatCount(result.unchanged)} are there already just so, <span className={result.failed > 0 ? "font-medium text-danger" : ""}>{formatNumberOf(result.failed, "row")} would fail</span>.</p>
      )}
      {result !== undefined && <Failures result={result} />}
      <Button variant={result === undefined ? "primary" : "secondary"} className="self-start" disabled={!ready || write.isPending} onClick={work.startCheck}>{result === undefined ? "Check all rows" : "Check again"}</Button>
    </div>
  );
}

function Write({ work, dataset }: { work: Import; dataset: Dataset }) {
  const { id: projectId } = useProject();
  const { check, write, stopped, progress } = work;
  const failed = check.data?.failed ?? 0;
  const rows = (check.data?.created ?? 0) + (check.data?.changed ?? 0) + (check.data?.unchanged ?? 0);
  if (write.isPending) return <Running work={work} label="Bytes imported" />;
  if (write.isSuccess) {
    return (
      <Banner actions={<Link to="/project/$projectId/datasets/$datasetId" params={{ projectId, datasetId: dataset.id }} search={{} as never} className={buttonClass("primary")}>Show the items</Link>}>
        {formatNumberOf(write.data.created, "item")} made, {formatCount(write.data.changed)} changed, {formatCount(write.data.unchanged)} were there already{failed > 0 && `, ${formatNumberOf(failed, "row")} left out`}.
      </Banner>
    );
  }
  const again = write.error !== null;
  return (
    <div className="flex flex-col gap-3">
      {again && <Banner tone={stopped ? "info" : "danger"}>{stopped ? "Ended." : describeError(write.error).message} {formatNumberOf(progress?.rows ?? 0, "row")} are in the dataset. Import again to go on: rows that are there are passed over.</Banner>}
      <Button variant="primary" className="self-start" disabled={rows === 0} onClick={work.startWrite}>
        {again ? "Go on" : failed > 0 ? `Import the ${formatNumberOf(rows, "row")} that fit` : `Import ${formatNumberOf(rows, "row")}`}
      </Button>
    </div>
  );
}
