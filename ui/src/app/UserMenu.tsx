import { Link } from "@tanstack/react-router";
import { BookOpen, Keyboard, LogOut, Settings2 } from "lucide-react";
import type { ReactNode } from "react";
import { basePath } from "@/shared/api/client";
import type { Session } from "@/shared/api/session";
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

export function UserMenu({ session, trigger, openLayer }: { session: Session; trigger: ReactNode; openLayer: (layer: Layer) => void }) {
  const [theme, setTheme] = usePreference("theme");
  const [density, setDensity] = usePreference("density");
  const signOut = useSignOut();
  return (
    <Menu side="top" align="start" className="w-56" trigger={trigger} defaultOpen>
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
