import { Link } from "@tanstack/react-router";
import { GitCompareArrows } from "lucide-react";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import type { PromptVersion } from "./api";
import { LabelBadges } from "./LabelBadges";

interface VersionRailProps {
  projectId: string;
  name: string;
  versions: readonly PromptVersion[];
  total: number;
  current: number;
  /** The version that is compared with; undefined: none. */
  compared: number | undefined;
}

const bringIntoView = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest" });

/** Every version with its labels and why it was made. Each can be read, and compared with the one that is read. */
export function VersionRail({ projectId, name, versions, total, current, compared }: VersionRailProps) {
  const at = (version: number, diff: number | undefined) => ({ to: "/project/$projectId/prompts/$" as const, params: { projectId, _splat: name }, search: ((before: object) => ({ ...before, version: String(version), diff: diff === undefined ? undefined : String(diff) })) as never });
  return (
    <nav aria-label="Versions" className="shrink-0 border-line max-md:border-b md:w-64 md:border-r">
      <div className="flex flex-col md:sticky md:top-0 md:max-h-[calc(100dvh-49px)]">
      <h2 className="px-4 pt-3 pb-1 text-xs font-medium text-text-2">{formatCount(total)} {total === 1 ? "version" : "versions"}</h2>
      <ol className="flex min-h-0 flex-col overflow-auto px-2 pb-2 max-md:max-h-56">
        {versions.map((each) => {
          const isCurrent = each.version === current;
          return (
            <li key={each.version} className="group relative">
              <Link {...at(each.version, undefined)} ref={isCurrent ? bringIntoView : undefined} aria-current={isCurrent ? "page" : undefined} className="flex flex-col gap-0.5 rounded-md py-1.5 pr-9 pl-2 text-xs hover:bg-surface aria-[current=page]:bg-selected">
                <span className="flex flex-wrap items-center gap-1.5"><span className="font-medium">Version {each.version}</span><LabelBadges labels={each.labels} /></span>
                {each.commitMessage !== null && <span className="line-clamp-2 break-words text-text-2">{each.commitMessage}</span>}
                <span className="text-2xs text-text-3"><RelativeTime value={each.createdAt} /> by {each.authorName ?? (each.createdBy === "API" ? "API" : "a member")}</span>
              </Link>
              {!isCurrent && (
                <Link
                  {...at(current, compared === each.version ? undefined : each.version)} aria-label={`Compare with version ${each.version}`} title="Compare" aria-current={compared === each.version ? "true" : undefined}
                  className={cx("absolute top-1.5 right-1.5 flex size-6 items-center justify-center rounded-md text-text-3 hover:bg-raised hover:text-text pointer-coarse:size-11", compared === each.version && "bg-selected text-accent!")}
                >
                  <GitCompareArrows size={14} aria-hidden />
                </Link>
              )}
            </li>
          );
        })}
      </ol>
      {total > versions.length && <p className="px-4 pb-3 text-2xs text-text-3">The newest {formatCount(versions.length)}. Older ones are opened by ?version= in the address.</p>}
      </div>
    </nav>
  );
}
