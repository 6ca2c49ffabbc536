import { createContext, use } from "react";
import type { Api } from "./client";

export type Role = "OWNER" | "ADMIN" | "MEMBER" | "VIEWER";

/** The project that the page is about, and the client that acts in it. */
export interface Project {
  id: string;
  name: string;
  organizationId: string;
  organizationName: string;
  role: Role;
  /** Ids of the saved views that lists begin with, by table. */
  defaultViews?: Readonly<Record<string, string>>;
  api: Api;
}

export const ProjectContext = createContext<Project | null>(null);

export function useProject(): Project {
  const project = use(ProjectContext);
  if (project === null) throw new Error("useProject outside of a project page");
  return project;
}

const ranks: Record<Role, number> = { VIEWER: 0, MEMBER: 1, ADMIN: 2, OWNER: 3 };

/** Whether a role is enough for what needs another. The server decides; this only hides what it would refuse. */
export function allows(role: Role, needed: Role): boolean {
  return ranks[role] >= ranks[needed];
}
