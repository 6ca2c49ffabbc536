import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createApi } from "@/shared/api/client";
import { sessionQuery } from "@/shared/api/session";
import { useToast } from "@/shared/ui/Toast";

/** Ends the session, and forgets what was read in it. */
export function useSignOut(): () => void {
  const queries = useQueryClient();
  const toast = useToast();
  const { mutate } = useMutation({
    // The client puts the session's own token in place of the empty one.
    mutationFn: () => createApi().DELETE("/api/ui/session", { params: { header: { "X-Sonde-Csrf": "" } } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey }); // the layouts lead to the sign-in page
      queries.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
    },
    onError: (error) => toast({ kind: "error", title: "You are still signed in", detail: error.message }),
  });
  return mutate;
}
