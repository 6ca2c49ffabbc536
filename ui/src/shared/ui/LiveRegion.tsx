import type { ReactNode } from "react";

/** Says what changed on screen to those who do not see it: keep it mounted, change its text. */
export function LiveRegion({ children, urgent = false }: { children: ReactNode; urgent?: boolean }) {
  return <span className="sr-only" role={urgent ? "alert" : "status"}>{children}</span>;
}
