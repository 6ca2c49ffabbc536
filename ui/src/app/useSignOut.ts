import { useMutation, useQueryClient } from "@tanstack/react-query";
import { basePath, requestHeaders } from "@/shared/api/client";
import { toApiError } from "@/shared/api/errors";
import { sessionQuery } from "@/shared/api/session";
import { useToast } from "@/shared/ui/Toast";

/** Ends the session, and forgets what was read in it. */
export function useSignOut(): () => void {
  const queries = useQueryClient();
  const toast = useToast();
  const { mutate } = useMutation({
    mutationFn: async () => {
      const init = { method: "DELETE", headers: requestHeaders(undefined, "DELETE"), credentials: "same-origin" } as const;
      const response = await fetch(`${basePath}/api/ui/session`, init);
      if (!response.ok) throw await toApiError(response);
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey }); // the layouts lead to the sign-in page
      queries.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
    },
    onError: (error) => toast({ kind: "error", title: "You are still signed in", detail: error.message }),
  });
  return mutate;
}
