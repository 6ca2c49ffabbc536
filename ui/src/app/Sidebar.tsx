import { Link } from "@tanstack/react-router";
import { CircleUser, PanelLeftClose, PanelLeftOpen, Search } from "lucide-react";
import { lazy } from "react";
import { cx } from "@/shared/lib/classes";
import { usePreference } from "@/shared/lib/preferences";
import { IconButton } from "@/shared/ui/IconButton";
import { Kbd } from "@/shared/ui/Kbd";
import { LazyMenu } from "@/shared/ui/LazyMenu";
import { Tooltip } from "@/shared/ui/Tooltip";
import { Logo } from "./Logo";
import { type NavItem, navigation } from "./navigation";
import { ProjectSwitcher } from "./ProjectSwitcher";
import type { Layer, ShellProps } from "./Shell";

const loadUserMenu = () => import("./UserMenu");
const UserMenu = lazy(async () => ({ default: (await loadUserMenu()).UserMenu }));

export interface BarProps extends Pick<ShellProps, "session" | "project"> {
  openLayer: (layer: Layer) => void;
}

/** The way around from 900 px on. Narrow, it is a rail of icons. */
export function Sidebar({ session, project, openLayer }: BarProps) {
  const [width, setWidth] = usePreference("sidebar");
  const narrow = width === "narrow";
  return (
    <div className={cx("flex shrink-0 flex-col gap-2 overflow-x-hidden overflow-y-auto border-r border-line bg-surface p-2 max-md:hidden", narrow ? "w-13" : "w-56")}>
      <div className={cx("flex items-center gap-2", narrow && "flex-col")}>
        <Logo />
        <div className={cx("min-w-0 flex-1", narrow && "hidden")}><ProjectSwitcher session={session} project={project} /></div>
        <IconButton icon={narrow ? PanelLeftOpen : PanelLeftClose} label={narrow ? "Widen the sidebar" : "Narrow the sidebar"} onClick={() => setWidth(narrow ? "wide" : "narrow")} />
      </div>
      <SearchButton narrow={narrow} onClick={() => openLayer("palette")} />
      {project !== undefined && (
        <nav aria-label="Project" className="flex flex-1 flex-col gap-3 pt-1">
          {navigation.map((group) => (
            <ul key={group.label} aria-label={group.label} className="flex flex-col gap-0.5">
              {group.items.map((item) => <li key={item.to}><SidebarLink item={item} projectId={project.id} narrow={narrow} /></li>)}
            </ul>
          ))}
        </nav>
      )}
      <div className="mt-auto"><UserButton session={session} narrow={narrow} openLayer={openLayer} /></div>
    </div>
  );
}

function UserButton({ session, narrow, openLayer }: Pick<BarProps, "session" | "openLayer"> & { narrow: boolean }) {
  const trigger = (
    <button type="button" className={cx("flex h-9 w-full min-w-0 items-center gap-2 rounded-md text-xs hover:bg-raised pointer-coarse:h-11", narrow ? "justify-center" : "px-2")}>
      <CircleUser size={16} aria-hidden className="shrink-0 text-text-2" />
      <span className={narrow ? "sr-only" : "min-w-0 flex-1 truncate text-left"}>{session.user?.name || session.user?.email}</span>
      <span className="sr-only">, account and appearance</span>
    </button>
  );
  return <LazyMenu trigger={trigger} load={loadUserMenu}><UserMenu session={session} trigger={trigger} openLayer={openLayer} /></LazyMenu>;
}

function SearchButton({ narrow, onClick }: { narrow: boolean; onClick: () => void }) {
  if (narrow) return <IconButton icon={Search} label="Search" keys="mod+k" className="self-center" onClick={onClick} />;
  return (
    <button type="button" className="flex h-(--control) items-center gap-2 rounded-md border border-line-strong bg-raised px-2 text-xs text-text-2 hover:text-text" onClick={onClick}>
      <Search size={14} aria-hidden />
      <span className="flex-1 text-left">Search</span>
      <span aria-hidden><Kbd keys="mod+k" /></span>
    </button>
  );
}

function SidebarLink({ item, projectId, narrow }: { item: NavItem; projectId: string; narrow: boolean }) {
  const { to, label, icon: Icon } = item;
  const link = (
    <Link
      to={to} params={{ projectId }} activeOptions={{ exact: item.section === "", includeSearch: false }}
      className={cx("flex h-(--control) items-center gap-2.5 rounded-md text-xs text-text-2 hover:bg-raised hover:text-text aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-text", narrow ? "justify-center" : "px-2")}
    >
      <Icon size={16} aria-hidden className="shrink-0" />
      <span className={narrow ? "sr-only" : "truncate"}>{label}</span>
    </Link>
  );
  return narrow ? <Tooltip content={label} keys={item.keys} side="right">{link}</Tooltip> : link;
}
