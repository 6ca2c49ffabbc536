import { Monitor, Moon, Sun } from "lucide-react";
import { usePreference } from "@/shared/lib/preferences";
import { SegmentedControl } from "./SegmentedControl";

const themes = [
  { value: "system", label: "Like the system", icon: Monitor },
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
] as const;

export function ThemeToggle({ labels = false }: { labels?: boolean }) {
  const [theme, setTheme] = usePreference("theme");
  return <SegmentedControl label="Theme" value={theme} onChange={setTheme} segments={themes} iconsOnly={!labels} />;
}
