import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { basePath, setCsrfToken } from "./client";
import { toApiError } from "./errors";
import type { components } from "./schema.d.ts";

export type Session = components["schemas"]["Session"];

/** Who is signed in, and what the server offers to somebody who is not. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<Session> => {
    const response = await fetch(`${basePath}/api/ui/session`, { credentials: "same-origin" });
    if (!response.ok) throw await toApiError(response);
    const session = (await response.json()) as Session;
    setCsrfToken(session.csrfToken ?? "");
    return session;
  },
});

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}
