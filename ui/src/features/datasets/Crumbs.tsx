import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { foldersAround } from "./folders";

const step = "inline-flex min-h-6 min-w-6 items-center truncate text-text-2 hover:text-accent hover:underline";

/** The way down to a folder, or to a dataset in it. */
export function Crumbs({ path, dataset }: { path: string; dataset?: { id: string; name: string } }) {
  const { id: projectId } = useProject();
  const around = foldersAround(path);
  if (around.length === 0 && dataset === undefined) return null;
  return (
    <nav aria-label="Folders" className="flex min-w-0 flex-wrap items-center gap-1 text-xs">
      <Link to="/project/$projectId/datasets" params={{ projectId }} search={{} as never} className={step}>All datasets</Link>
      {around.map((folder) => (
        <span key={folder.path} className="flex min-w-0 items-center gap-1">
          <ChevronRight size={12} aria-hidden className="text-text-3" />
          <Link to="/project/$projectId/datasets" params={{ projectId }} search={{ folder: folder.path } as never} className={step}>{folder.name}</Link>
        </span>
      ))}
      {dataset !== undefined && (
        <span className="flex min-w-0 items-center gap-1">
          <ChevronRight size={12} aria-hidden className="text-text-3" />
          <Link to="/project/$projectId/datasets/$datasetId" params={{ projectId, datasetId: dataset.id }} search={{} as never} className={step}>{dataset.name}</Link>
        </span>
      )}
    </nav>
  );
}
