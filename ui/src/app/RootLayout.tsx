import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";

export function RootLayout() {
  return (
    <Suspense>
      <Outlet />
    </Suspense>
  );
}
