import { useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { OptionList } from "@/shared/ui/OptionList";
import { Popover } from "@/shared/ui/Popover";
import { currentItem } from "./navigation";
import { projectOptions } from "./ProjectSwitcher";
import type { ShellProps } from "./Shell";

/** The projects to switch to, open from the start. */
export function ProjectLayer({ trigger, session, project }: Pick<ShellProps, "session" | "project"> & { trigger: ReactNode }) {
  const [open, setOpen] = useState(true);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const pick = (projectId: string) => {
    setOpen(false);
    if (projectId !== project?.id) void navigate({ to: currentItem(pathname)?.to ?? "/project/$projectId", params: { projectId } });
  };
  return (
    <Popover open={open} onOpenChange={setOpen} label="Projects" className="w-72" trigger={trigger}>
      <OptionList label="Projects" placeholder="Find a project" options={projectOptions(session)} selected={project === undefined ? [] : [project.id]} onPick={pick} />
    </Popover>
  );
}
