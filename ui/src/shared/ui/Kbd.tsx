const mac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);
const names: Record<string, string> = {
  mod: mac ? "⌘" : "Ctrl", alt: mac ? "⌥" : "Alt", shift: "Shift", escape: "Esc", enter: "Enter", space: "Space",
  arrowup: "↑", arrowdown: "↓", arrowleft: "←", arrowright: "→",
};

/** Keys as the registry of shortcuts writes them: "mod+k", "g t". */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      {keys.split(" ").map((press, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same key may come twice
        <kbd key={index} className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm border border-line bg-surface px-1 font-sans text-2xs text-text-2">
          {press.split("+").map(nameOf).join(mac ? "" : "+") || "+"}
        </kbd>
      ))}
    </span>
  );
}

function nameOf(key: string): string {
  return names[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}
