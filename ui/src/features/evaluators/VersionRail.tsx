import { Link } from "@tanstack/react-router";
import { GitCompareArrows } from "lucide-react";
import { cx } from "@/shared/lib/classes";
import { formatNumberOf } from "@/shared/lib/format";
import { Badge } from "@/shared/ui/Badge";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import type { EvaluatorVersion } from "./api";

interface VersionRailProps {
  projectId: string;
  evaluatorId: string;
  versions: readonly EvaluatorVersion[];
  current: number;
  newest: number;
  /** The version that is compared with; undefined: none. */
  compared: number | undefined;
}

/** Every version. Each can be read, and compared with the one that is read. */
export function VersionRail({ projectId, evaluatorId, versions, current, newest, compared }: VersionRailProps) {
  const at = (version: number, diff: number | undefined) => ({
    to: "/project/$projectId/evaluators/$evaluatorId" as const, params: { projectId, evaluatorId },
    search: ((before: object) => ({ ...before, version: version === newest ? undefined : String(version), diff: diff === undefined ? undefined : String(diff) })) as never,
  });
  return (
    <nav aria-label="Versions" className="flex min-h-0 shrink-0 flex-col border-line max-md:border-b md:w-52 md:border-r">
      <h2 className="px-4 pt-3 pb-1 text-xs font-medium text-text-2">{formatNumberOf(versions.length, "version")}</h2>
      <ol className="flex min-h-0 flex-col overflow-auto px-2 pb-2 max-md:max-h-40">
        {versions.map(({ version, createdAt }) => (
          <li key={version} className="relative">
            <Link {...at(version, undefined)} aria-current={version === current ? "page" : undefined} className="flex flex-col gap-0.5 rounded-md py-1.5 pr-9 pl-2 text-xs hover:bg-surface aria-[current=page]:bg-selected">
              <span className="flex items-center gap-1.5 font-medium">Version {version}{version === newest && <Badge tone="ok">counts</Badge>}</span>
              <RelativeTime value={createdAt} className="text-2xs text-text-3" />
            </Link>
            {version !== current && (
              <Link
                {...at(current, compared === version ? undefined : version)} aria-label={`Compare with version ${version}`} title="Compare" aria-current={compared === version ? "true" : undefined}
                className={cx("absolute top-1.5 right-1.5 flex size-6 items-center justify-center rounded-md text-text-3 hover:bg-raised hover:text-text pointer-coarse:size-11", compared === version && "bg-selected text-accent!")}
              >
                <GitCompareArrows size={14} aria-hidden />
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
