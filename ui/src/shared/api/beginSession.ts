import type { QueryClient } from "@tanstack/react-query";
import { setCsrfToken } from "./client";
import { type Session, sessionQuery } from "./session";

/** Goes on as who has just signed in. What was read for somebody else is forgotten. */
export function beginSession(queries: QueryClient, session: Session): void {
  setCsrfToken(session.csrfToken ?? "");
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  queries.setQueryData(sessionQuery.queryKey, session);
}
