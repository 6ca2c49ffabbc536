import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { basePath, requestHeaders } from "@/shared/api/client";
import { toApiError } from "@/shared/api/errors";
import { useToast } from "@/shared/ui/Toast";

/** Ends the session, and forgets what was read in it. */
export function useSignOut(): () => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const { mutate } = useMutation({
    mutationFn: async () => {
      const init = { method: "DELETE", headers: requestHeaders(undefined, "DELETE"), credentials: "same-origin" } as const;
      const response = await fetch(`${basePath}/api/ui/session`, init);
      if (!response.ok) throw await toApiError(response);
    },
    onSuccess: async () => {
      await navigate({ to: "/auth/sign-in" });
      queries.clear();
    },
    onError: (error) => toast({ kind: "error", title: "You are still signed in", detail: error.message }),
  });
  return mutate;
}
