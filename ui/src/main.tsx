import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "@/app/router";
import { ApiError } from "@/shared/api/errors";
import "@/shared/ui/base.css";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      // An answer of the server stands; only what did not arrive is asked for again.
      retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
    },
  },
});

const element = document.getElementById("root");
if (element === null) throw new Error("index.html has no #root");
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
