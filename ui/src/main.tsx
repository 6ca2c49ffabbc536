import "@/app/nonce";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "@/app/queries";
import { router } from "@/app/router";
import "@/shared/ui/base.css";

const element = document.getElementById("root");
if (element === null) throw new Error("index.html has no #root");
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
