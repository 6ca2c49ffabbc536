import { type QueryClient, queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { createApi, setCsrfToken } from "./client";
import type { components } from "./schema.d.ts";

export type Session = components["schemas"]["Session"];

/** Who is signed in, and what the server offers to somebody who is not. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<Session> => {
    const { data } = await createApi().GET("/api/ui/session", { signal });
    setCsrfToken(data!.csrfToken ?? "");
    return data!;
  },
});

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** After a session has ended: asks who is signed in, upon which the layouts lead to the sign-in page, and forgets what was read in it. */
export async function leaveSession(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  queries.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
}
