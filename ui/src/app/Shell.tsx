import { useLocation, useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import type { Session } from "@/shared/api/session";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { ErrorBoundary } from "@/shared/ui/ErrorBoundary";
import { navItems } from "./navigation";
import { PhoneBar, PhoneHead } from "./PhoneBars";
import { Sidebar } from "./Sidebar";

const CommandPalette = lazy(() => import("./CommandPalette"));
const ShortcutSheet = lazy(() => import("./ShortcutSheet"));

export interface ShellProps {
  session: Session;
  /** The project that the sidebar leads into; undefined where there is none. */
  project: { id: string; name: string } | undefined;
  children: ReactNode;
}

export type Layer = "palette" | "shortcuts" | null;

/** The frame around a page: where one can go, and what can be called from everywhere. */
export function Shell({ session, project, children }: ShellProps) {
  const [layer, setLayer] = useState<Layer>(null);
  const { pathname } = useLocation();
  const main = useFocusOnNavigation();
  useGlobalShortcuts(project?.id, setLayer);
  const bars = { session, project, openLayer: setLayer };
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a href="#main" className="absolute -top-20 left-2 z-60 rounded-md bg-accent px-3 py-2 text-sm text-on-accent focus:top-2" onClick={(event) => {
        event.preventDefault(); // the address belongs to the router, and <base> would send it elsewhere
        main.current?.focus();
      }}>
        Skip to content
      </a>
      <Sidebar {...bars} />
      <PhoneHead {...bars} />
      <main ref={main} id="main" tabIndex={-1} data-scroll-restoration-id="main" className="relative min-h-0 min-w-0 flex-1 overflow-auto outline-none">
        <ErrorBoundary resetKey={pathname}>{children}</ErrorBoundary>
      </main>
      <PhoneBar {...bars} />
      <Suspense>
        {layer === "palette" && <CommandPalette session={session} project={project} onClose={() => setLayer(null)} openLayer={setLayer} />}
        {layer === "shortcuts" && <ShortcutSheet onClose={() => setLayer(null)} />}
      </Suspense>
    </div>
  );
}

/** After going to another page, the keyboard and the screen reader begin at its content. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  // Where the page is shown already: before, the focus would still be in the old one, and go with it.
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    const first = before.current === undefined;
    before.current = shown;
    // A page may have put the focus where it belongs already.
    if (!first && main.current?.contains(document.activeElement) !== true) main.current?.focus({ preventScroll: true });
  }, [shown]);
  return main;
}

function useGlobalShortcuts(projectId: string | undefined, open: (layer: Layer) => void): void {
  const navigate = useNavigate();
  const pages = projectId === undefined ? [] : navItems.flatMap(({ to, label, keys }) =>
    keys === undefined ? [] : [{ keys, label: `Go to ${label}`, run: () => void navigate({ to, params: { projectId } }) }]);
  useShortcuts("Everywhere", [
    { keys: "mod+k", label: "Search and commands", run: () => open("palette") },
    { keys: "?", label: "Keyboard shortcuts", run: () => open("shortcuts") },
    ...pages,
  ]);
}
