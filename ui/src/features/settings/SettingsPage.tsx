import { Link, useParams } from "@tanstack/react-router";
import { Suspense } from "react";
import { useProject } from "@/shared/api/project";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorBoundary } from "@/shared/ui/ErrorBoundary";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { settingsPage, settingsPages } from "./pages";

/** The settings of a project: its pages, and the one that the address names. */
export function SettingsPage() {
  const project = useProject();
  const { page: slug } = useParams({ strict: false });
  const current = settingsPage(slug);
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title={current?.label ?? "Settings"} documentTitle={`${current?.label ?? "Not found"} · Settings · ${project.name}`} />
      <div className="flex min-w-0 flex-1 flex-col md:flex-row">
        <SettingsNavigation projectId={project.id} current={current?.slug} />
        <div className="min-w-0 flex-1 p-4">
          {current === undefined ? <NoSuchPage projectId={project.id} /> : (
            <ErrorBoundary resetKey={current.slug}>
              <Suspense fallback={<SkeletonRows label="Loading the page" />}><current.Page /></Suspense>
            </ErrorBoundary>
          )}
        </div>
      </div>
    </div>
  );
}

const bringIntoView = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest", inline: "nearest" });

/** Beside the page where there is room, else in a line above it. */
function SettingsNavigation({ projectId, current }: { projectId: string; current: string | undefined }) {
  return (
    <nav aria-label="Settings" className="shrink-0 border-line max-md:border-b md:w-48 md:border-r">
      <ul className="flex gap-0.5 max-md:overflow-x-auto max-md:px-2 md:sticky md:top-0 md:flex-col md:p-2">
        {settingsPages.map(({ slug, label, icon: Icon }) => (
          <li key={slug} className="shrink-0">
            <Link
              to="/project/$projectId/settings/{-$page}" params={{ projectId, page: slug }} aria-current={slug === current ? "page" : undefined}
              ref={slug === current ? bringIntoView : undefined}
              className="flex items-center gap-2 text-xs text-text-2 hover:text-text aria-[current=page]:font-medium aria-[current=page]:text-text max-md:h-9 max-md:border-b-2 max-md:border-transparent max-md:px-2.5 max-md:aria-[current=page]:border-accent md:h-(--control) md:rounded-md md:px-2 md:hover:bg-surface md:aria-[current=page]:bg-selected pointer-coarse:h-11"
            >
              <Icon size={16} aria-hidden className="shrink-0 max-md:hidden" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function NoSuchPage({ projectId }: { projectId: string }) {
  return (
    <EmptyState title="There is no such page of settings" actions={<Link to="/project/$projectId/settings/{-$page}" params={{ projectId }} className={buttonClass("primary")}>To the general settings</Link>}>
      The address may be mistyped. All pages are listed under Settings.
    </EmptyState>
  );
}
