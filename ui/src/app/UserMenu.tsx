import { Link } from "@tanstack/react-router";
import { BookOpen, CircleUser, Keyboard, LogOut, Settings2 } from "lucide-react";
import { basePath } from "@/shared/api/client";
import type { Session } from "@/shared/api/session";
import { cx } from "@/shared/lib/classes";
import { usePreference } from "@/shared/lib/preferences";
import { Menu, MenuChoices, MenuItem, MenuLabel, MenuLine } from "@/shared/ui/Menu";
import type { Layer } from "./Shell";
import { useSignOut } from "./useSignOut";

const themes = [
  { value: "system", label: "Like the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;
const densities = [
  { value: "compact", label: "Compact" },
  { value: "comfortable", label: "Comfortable" },
] as const;

export function UserMenu({ session, narrow, openLayer }: { session: Session; narrow: boolean; openLayer: (layer: Layer) => void }) {
  const [theme, setTheme] = usePreference("theme");
  const [density, setDensity] = usePreference("density");
  const signOut = useSignOut();
  const name = session.user?.name || session.user?.email || "";
  return (
    <Menu
      side="top" align="start" className="w-56"
      trigger={
        <button type="button" className={cx("flex h-9 w-full min-w-0 items-center gap-2 rounded-md text-xs hover:bg-raised pointer-coarse:h-11", narrow ? "justify-center" : "px-2")}>
          <CircleUser size={16} aria-hidden className="shrink-0 text-text-2" />
          <span className={narrow ? "sr-only" : "min-w-0 flex-1 truncate text-left"}>{name}</span>
          <span className="sr-only">, account and appearance</span>
        </button>
      }
    >
      <MenuLabel><span className="block truncate">{session.user?.email}</span></MenuLabel>
      <MenuItem asChild><Link to="/account/settings"><Settings2 size={14} aria-hidden className="text-text-3" />Account settings</Link></MenuItem>
      <MenuItem asChild><a href={`${basePath}/api/docs`}><BookOpen size={14} aria-hidden className="text-text-3" />API reference</a></MenuItem>
      <MenuItem icon={Keyboard} keys="?" onSelect={() => openLayer("shortcuts")}>Keyboard shortcuts</MenuItem>
      <MenuLine />
      <MenuChoices label="Theme" value={theme} onChange={setTheme} options={themes} />
      <MenuChoices label="Density" value={density} onChange={setDensity} options={densities} />
      <MenuLine />
      <MenuItem icon={LogOut} onSelect={signOut}>Sign out</MenuItem>
    </Menu>
  );
}
