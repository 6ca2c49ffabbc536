import { useEffect } from "react";

/** Names the page in the browser's tab and history, the special before the general: "Traces · shop · Sonde". */
export function useTitle(...parts: (string | undefined)[]): void {
  const title = [...parts, "Sonde"].filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
