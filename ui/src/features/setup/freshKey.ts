import { type QueryClient, queryOptions, skipToken, useQuery } from "@tanstack/react-query";

/** A key that was just made. Its secret is nowhere else: it lives as long as this tab, and in no storage. */
export interface FreshKey {
  publicKey: string;
  secretKey: string;
  createdAt: string;
}

const freshKeyQuery = (projectId: string) =>
  queryOptions<FreshKey>({ queryKey: ["fresh-key", projectId], queryFn: skipToken, staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY });

export function keepFreshKey(queries: QueryClient, projectId: string, key: FreshKey): void {
  // The time it is kept belongs to the query, which exists once it has an observer or these defaults.
  queries.setQueryDefaults(["fresh-key"], { gcTime: Number.POSITIVE_INFINITY });
  queries.setQueryData(freshKeyQuery(projectId).queryKey, key);
}

export function useFreshKey(projectId: string): FreshKey | undefined {
  return useQuery(freshKeyQuery(projectId)).data;
}
