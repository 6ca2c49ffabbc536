import { cx } from "@/shared/lib/classes";
import { usePreference } from "@/shared/lib/preferences";
import { useRegisteredShortcuts } from "@/shared/lib/shortcuts";
import { Dialog } from "@/shared/ui/Dialog";
import { Kbd } from "@/shared/ui/Kbd";
import { Switch } from "@/shared/ui/Switch";

/** All keys that work on the page below it. */
export default function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const shortcuts = useRegisteredShortcuts();
  const [single, setSingle] = usePreference("single-keys");
  const scopes = [...new Set(shortcuts.map((shortcut) => shortcut.scope))];
  const several = scopes.length > 1;
  return (
    <Dialog open onOpenChange={onClose} title="Keyboard shortcuts" size={several ? "wide" : "normal"}>
      <div className={cx("gap-8", several && "sm:columns-2")}>
        {scopes.map((scope) => (
          <section key={scope} className="mb-4 break-inside-avoid">
            <h3 className="mb-1 text-xs font-medium text-text-2">{scope}</h3>
            <dl>
              {shortcuts.filter((shortcut) => shortcut.scope === scope).map(({ keys, label }) => (
                <div key={keys} className="flex min-h-7 items-center justify-between gap-4 border-b border-line text-sm">
                  <dt>{label}</dt>
                  <dd><Kbd keys={keys} /></dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch checked={single === "on"} onChange={(on) => setSingle(on ? "on" : "off")} hint="Off, only those with Ctrl or Cmd work.">Keys without Ctrl or Cmd</Switch>
    </Dialog>
  );
}
