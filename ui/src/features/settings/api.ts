import { queryOptions } from "@tanstack/react-query";
import { type Api, createApi } from "@/shared/api/client";
import type { Project, Role } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";

type Schemas = components["schemas"];
export type ProjectFacts = Schemas["Project"];
export type ApiKey = Schemas["ApiKey"];
export type NewApiKey = Schemas["NewApiKey"];
export type Scope = Schemas["ApiKeyScope"];
export type Membership = Schemas["Membership"];
export type Invitation = Schemas["Invitation"];

/** The server always answers what it promises, or an error that is thrown. */
async function answer<T>(request: Promise<{ data?: T }>): Promise<T> {
  return (await request).data as T;
}

/** For what belongs to the person. The client puts the token in; the description wants to see the header. */
const own = createApi();
const header = { "X-Sonde-Csrf": "" };

export const projectQuery = ({ id, api }: Project) =>
  queryOptions({ queryKey: ["project", id], queryFn: async ({ signal }): Promise<ProjectFacts> => (await answer(api.GET("/api/public/projects", { signal }))).data[0]! });

export interface ProjectChange {
  name?: string;
  /** Days; 0 leaves it to the server. */
  retention?: number;
  payloadRetention?: number;
}

export const changeProject = ({ id, api }: Project, body: ProjectChange) => answer(api.PUT("/api/public/projects/{projectId}", { params: { path: { projectId: id } }, body }));
export const deleteProject = ({ id, api }: Project) => answer(api.DELETE("/api/public/projects/{projectId}", { params: { path: { projectId: id } } }));
export const createProject = (organizationId: string, name: string) => answer(own.POST("/api/ui/projects", { params: { header }, body: { organizationId, name } }));

/** The views that lists of the project begin with. */
export const defaultViewsQuery = ({ id, api }: Project) =>
  queryOptions({
    queryKey: ["saved-views", id, "defaults"],
    queryFn: async ({ signal }) => (await answer(api.GET("/api/public/saved-views", { params: { query: { limit: "100" } }, signal }))).data.filter((view) => view.isDefault),
  });

export const keysQuery = ({ id, api }: Project) =>
  queryOptions({
    queryKey: ["api-keys", id],
    queryFn: async ({ signal }) => (await answer(api.GET("/api/public/projects/{projectId}/apiKeys", { params: { path: { projectId: id } }, signal }))).apiKeys,
  });

export interface KeyDraft {
  name: string;
  scope: Scope;
  /** ISO 8601; null: never. */
  expiresAt: string | null;
}

export const createKey = ({ id, api }: Project, { name, scope, expiresAt }: KeyDraft): Promise<NewApiKey> =>
  answer(api.POST("/api/public/projects/{projectId}/apiKeys", { params: { path: { projectId: id } }, body: { name: name.trim() || null, scope, expiresAt } }));
export const revokeKey = ({ id, api }: Project, apiKeyId: string) =>
  answer(api.DELETE("/api/public/projects/{projectId}/apiKeys/{apiKeyId}", { params: { path: { projectId: id, apiKeyId } } }));

/** Everybody in the organization. The server finds it by any project of it, which the client names. */
export const membersQuery = (organizationId: string, api: Api) =>
  queryOptions({ queryKey: ["members", organizationId], queryFn: async ({ signal }) => (await answer(api.GET("/api/public/organizations/memberships", { signal }))).memberships });

/** Those who have another role in the project than in its organization. */
export const projectMembersQuery = (projectId: string, api: Api) =>
  queryOptions({
    queryKey: ["members-of-project", projectId],
    queryFn: async ({ signal }) => (await answer(api.GET("/api/public/projects/{projectId}/memberships", { params: { path: { projectId } }, signal }))).memberships,
  });

export const setRole = (api: Api, userId: string, role: Role) => answer(api.PUT("/api/public/organizations/memberships", { body: { userId, role } }));
export const removeMember = (api: Api, userId: string) => answer(api.DELETE("/api/public/organizations/memberships", { body: { userId } }));

/** Null gives the role of the organization back. */
export const setProjectRole = (api: Api, projectId: string, userId: string, role: Role | null): Promise<unknown> => {
  const params = { path: { projectId } };
  if (role === null) return answer(api.DELETE("/api/public/projects/{projectId}/memberships", { params, body: { userId } }));
  return answer(api.PUT("/api/public/projects/{projectId}/memberships", { params, body: { userId, role } }));
};

export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["invitations", organizationId],
    queryFn: async ({ signal }) => (await answer(own.GET("/api/ui/invitations", { params: { query: { organizationId } }, signal }))).data,
  });

export const invite = (organizationId: string, email: string, role: Role) => answer(own.POST("/api/ui/invitations", { params: { header }, body: { organizationId, email, role } }));
export const uninvite = (organizationId: string, invitationId: string) =>
  answer(own.DELETE("/api/ui/invitations/{invitationId}", { params: { header, path: { invitationId }, query: { organizationId } } }));

export const changeName = (name: string) => answer(own.PUT("/api/ui/account", { params: { header }, body: { name } }));
export const changePassword = (currentPassword: string, newPassword: string) =>
  answer(own.POST("/api/ui/account/password", { params: { header }, body: { currentPassword, newPassword } }));
export const signOutEverywhere = () => answer(own.DELETE("/api/ui/sessions", { params: { header } }));
