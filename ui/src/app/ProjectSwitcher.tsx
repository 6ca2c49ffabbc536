import { useLocation, useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import { useState } from "react";
import type { Session } from "@/shared/api/session";
import { OptionList } from "@/shared/ui/OptionList";
import { Popover } from "@/shared/ui/Popover";
import { currentItem } from "./navigation";
import type { ShellProps } from "./Shell";

/** Which project one is in, and the way to the others: to the same page of them. */
export function ProjectSwitcher({ session, project }: Pick<ShellProps, "session" | "project">) {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const organization = session.organizations.find((each) => each.projects.some((one) => one.id === project?.id));
  const pick = (projectId: string) => {
    setOpen(false);
    if (projectId !== project?.id) void navigate({ to: currentItem(pathname)?.to ?? "/project/$projectId", params: { projectId } });
  };
  return (
    <Popover
      open={open} onOpenChange={setOpen} label="Projects" className="w-72"
      trigger={
        <button type="button" className="flex h-9 w-full min-w-0 items-center gap-1 rounded-md px-1.5 text-left hover:bg-raised pointer-coarse:h-11">
          <span className="min-w-0 flex-1">
            <span className="block truncate text-xs leading-4 font-semibold">{project?.name ?? "Choose a project"}</span>
            {organization !== undefined && <span className="block truncate text-2xs leading-3.5 text-text-3">{organization.name}</span>}
          </span>
          <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-text-3" />
          <span className="sr-only">, switch project</span>
        </button>
      }
    >
      <OptionList label="Projects" placeholder="Find a project" options={projectOptions(session)} selected={project === undefined ? [] : [project.id]} onPick={pick} />
    </Popover>
  );
}

export function projectOptions(session: Session) {
  return session.organizations.flatMap((organization) => organization.projects.map((project) => ({ value: project.id, label: project.name, hint: organization.name })));
}
