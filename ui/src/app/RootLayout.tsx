import { Outlet } from "@tanstack/react-router";
import { WifiOff } from "lucide-react";
import { Suspense } from "react";
import { useOnline } from "@/shared/lib/useOnline";
import { ToastProvider } from "@/shared/ui/Toast";
import { TooltipProvider } from "@/shared/ui/Tooltip";

/** What every page has, whoever looks at it. */
export function RootLayout() {
  return (
    <TooltipProvider delayDuration={400}>
      <ToastProvider>
        <div className="flex h-full flex-col">
          <OfflineBanner />
          <div className="min-h-0 flex-1">
            <Suspense>
              <Outlet />
            </Suspense>
          </div>
        </div>
      </ToastProvider>
    </TooltipProvider>
  );
}

function OfflineBanner() {
  const online = useOnline();
  return (
    <div role="status">
      {!online && (
        <p className="flex items-center justify-center gap-2 bg-warn-bg px-3 py-1 text-xs text-text">
          <WifiOff size={14} aria-hidden className="text-warn" />
          You are offline. What is on screen stays; changes have to wait.
        </p>
      )}
    </div>
  );
}
