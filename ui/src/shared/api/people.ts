import { queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { type Project, useProject } from "./project";

/** Everybody in the organization of a project, by id: what they are called. */
export const peopleQuery = ({ organizationId, api }: Project) =>
  queryOptions({
    queryKey: ["people", organizationId],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { data } = await api.GET("/api/public/organizations/memberships", { signal });
      return new Map(data!.memberships.map(({ userId, name, email }) => [userId, name || email]));
    },
  });

/** Gives people their names. Whoever has left is shown by the id, an API key as one. */
export function usePeople(): (userId: string) => string {
  const { data } = useQuery(peopleQuery(useProject()));
  return useCallback((userId: string) => data?.get(userId) ?? (userId.startsWith("key ") ? "An API key" : userId), [data]);
}
