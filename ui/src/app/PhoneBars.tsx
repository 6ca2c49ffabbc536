import { Link } from "@tanstack/react-router";
import { Ellipsis, LogOut, Search, Settings2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { ThemeToggle } from "@/shared/ui/ThemeToggle";
import { Logo } from "./Logo";
import { navItems } from "./navigation";
import { ProjectSwitcher } from "./ProjectSwitcher";
import type { BarProps } from "./Sidebar";
import { useSignOut } from "./useSignOut";

const Sheet = lazy(async () => ({ default: (await import("@/shared/ui/Sheet")).Sheet }));

export function PhoneHead({ session, project, openLayer }: BarProps) {
  return (
    <div className="flex shrink-0 items-center gap-2 border-b border-line bg-surface px-2 py-1 md:hidden">
      <Logo />
      <div className="min-w-0 flex-1"><ProjectSwitcher session={session} project={project} /></div>
      <IconButton icon={Search} label="Search" onClick={() => openLayer("palette")} />
    </div>
  );
}

const cell = "flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-2xs text-text-2 aria-[current=page]:font-medium aria-[current=page]:text-accent";

export function PhoneBar({ session, project }: BarProps) {
  const [more, setMore] = useState(false);
  return (
    <nav aria-label="Pages" className="flex shrink-0 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden">
      {project !== undefined && navItems.filter((item) => item.inBar).map(({ to, section, label, icon: Icon }) => (
        <Link key={to} to={to} params={{ projectId: project.id }} activeOptions={{ exact: section === "", includeSearch: false }} className={cell}>
          <Icon size={18} aria-hidden />
          <span className="max-w-full truncate px-0.5">{label}</span>
        </Link>
      ))}
      <button type="button" className={cell} aria-expanded={more} aria-haspopup="dialog" onClick={() => setMore(true)}>
        <Ellipsis size={18} aria-hidden />
        More
      </button>
      {more && (
        <Suspense>
          <Sheet open onOpenChange={setMore} side="bottom" title="More">
            <MoreList session={session} project={project} onClose={() => setMore(false)} />
          </Sheet>
        </Suspense>
      )}
    </nav>
  );
}

const row = "flex min-h-11 items-center gap-3 rounded-md px-3 text-sm hover:bg-surface aria-[current=page]:bg-selected";

function MoreList({ session, project, onClose }: Pick<BarProps, "session" | "project"> & { onClose: () => void }) {
  const signOut = useSignOut();
  return (
    <div className="flex flex-col gap-1 p-2">
      {project !== undefined && navItems.filter((item) => !item.inBar).map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} params={{ projectId: project.id }} className={row} onClick={onClose}><Icon size={18} aria-hidden />{label}</Link>
      ))}
      <Link to="/account/settings" className={row} onClick={onClose}><Settings2 size={18} aria-hidden />Account settings</Link>
      <div className="flex flex-wrap items-center justify-between gap-2 px-3 py-2">
        <ThemeToggle labels />
        <Button icon={LogOut} variant="ghost" onClick={signOut}>Sign out</Button>
      </div>
      <p className="truncate px-3 pb-2 text-xs text-text-3">{session.user?.email}</p>
    </div>
  );
}
