import { ChevronsUpDown } from "lucide-react";
import { lazy } from "react";
import type { Session } from "@/shared/api/session";
import { LazyMenu } from "@/shared/ui/LazyMenu";
import type { ShellProps } from "./Shell";

const loadLayer = () => import("./ProjectLayer");
const ProjectLayer = lazy(async () => ({ default: (await loadLayer()).ProjectLayer }));

/** Which project one is in, and the way to the others: to the same page of them. */
export function ProjectSwitcher({ session, project }: Pick<ShellProps, "session" | "project">) {
  const organization = session.organizations.find((each) => each.projects.some((one) => one.id === project?.id));
  const trigger = (
    <button type="button" className="flex h-9 w-full min-w-0 items-center gap-1 rounded-md px-1.5 text-left hover:bg-raised pointer-coarse:h-11">
      <span className="min-w-0 flex-1">
        <span className="block truncate text-xs leading-4 font-semibold">{project?.name ?? "Choose a project"}</span>
        {organization !== undefined && <span className="block truncate text-2xs leading-3.5 text-text-3">{organization.name}</span>}
      </span>
      <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-text-3" />
      <span className="sr-only">, switch project</span>
    </button>
  );
  return <LazyMenu kind="dialog" trigger={trigger} load={loadLayer}><ProjectLayer trigger={trigger} session={session} project={project} /></LazyMenu>;
}

export function projectOptions(session: Session) {
  return session.organizations.flatMap((organization) => organization.projects.map((project) => ({ value: project.id, label: project.name, hint: organization.name })));
}
