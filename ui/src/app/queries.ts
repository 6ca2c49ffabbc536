import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, isSignedOut } from "@/shared/api/errors";
import { sessionQuery } from "@/shared/api/session";

/** Asks who is signed in when an answer says that nobody is: the layouts then lead to the sign-in page. */
function onError(error: unknown): void {
  if (isSignedOut(error)) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => query.queryKey !== sessionQuery.queryKey && onError(error) }),
  defaultOptions: {
    mutations: { onError },
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      // An answer of the server stands; only what did not arrive is asked for again.
      retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
    },
  },
});
