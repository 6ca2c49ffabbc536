import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
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
