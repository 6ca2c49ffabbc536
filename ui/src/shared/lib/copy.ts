import { useCallback, useEffect, useState } from "react";

/** Puts text on the clipboard. Browsers hide the clipboard from pages on plain http, so an old way stands behind it. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.style.position = "fixed";
  area.style.opacity = "0";
  // Inside an open dialog, focus must not leave it.
  const home = document.activeElement?.closest("[role=dialog]") ?? document.body;
  const before = document.activeElement;
  home.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!done) throw new Error("the browser refused to copy");
}

const confirmationMs = 1500;

/** Copies, and tells for a moment that it did. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), confirmationMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = useCallback((text: string) => {
    void copyText(text).then(() => setCopied(true));
  }, []);
  return { copied, copy };
}
