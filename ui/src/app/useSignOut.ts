import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createApi } from "@/shared/api/client";
import { leaveSession } from "@/shared/api/session";
import { useToast } from "@/shared/ui/Toast";

/** Ends the session, and forgets what was read in it. */
export function useSignOut(): () => void {
  const queries = useQueryClient();
  const toast = useToast();
  const { mutate } = useMutation({
    // The client puts the session's own token in place of the empty one.
    mutationFn: () => createApi().DELETE("/api/ui/session", { params: { header: { "X-Sonde-Csrf": "" } } }),
    onSuccess: () => leaveSession(queries),
    onError: (error) => toast({ kind: "error", title: "You are still signed in", detail: error.message }),
  });
  return mutate;
}
