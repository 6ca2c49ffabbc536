import type { Api } from "@/shared/api/client";
import { allows, type Role } from "@/shared/api/project";
import type { Session } from "@/shared/api/session";
import type { Membership } from "./api";

/** Whose members a page shows, and what the person who looks may do there. */
export interface Team {
  organization: { id: string; name: string; role: Role };
  /** With roles of its own; undefined on the page of the organization. */
  project: { id: string; name: string; role: Role } | undefined;
  /** Of a project in the organization, by which the server finds it. */
  api: Api;
  userId: string;
}

export interface Member {
  userId: string;
  name: string;
  email: string;
  role: Role;
  /** Null: the same as in the organization. */
  projectRole: Role | null;
}

export const nameOf = ({ name, email }: Pick<Member, "name" | "email">) => name || email;

export function membersOf(organization: readonly Membership[], project: readonly Membership[]): Member[] {
  const own = new Map(project.map(({ userId, role }) => [userId, role]));
  return organization.map(({ userId, name, email, role }) => ({ userId, name, email, role, projectRole: own.get(userId) ?? null }));
}

/** What is given to people, the least first. */
export const roles: readonly { value: Role; hint: string }[] = [
  { value: "VIEWER", hint: "Reads everything." },
  { value: "MEMBER", hint: "Also writes scores, comments, datasets, prompts and annotations." },
  { value: "ADMIN", hint: "Also manages keys, models, members, retention and exports, and deletes traces." },
  { value: "OWNER", hint: "Everything, also deletes projects." },
];

/** Nobody gives a role above the own one. */
export const rolesUpTo = (own: Role) => roles.filter(({ value }) => allows(own, value));

export interface Powers {
  inOrganization: boolean;
  inProject: boolean;
}

/** Which roles of somebody the one who looks may change: as an admin, and only of people who are not above. */
export function powersOver(member: Member, { organization, project }: Team): Powers {
  const may = (own: Role | undefined) => own !== undefined && allows(own, "ADMIN") && allows(own, member.role);
  return { inOrganization: may(organization.role), inProject: may(project?.role) };
}

/** The last owner might go with it: another owner has to do it. */
export const isOwnOwner = (member: Member, { userId }: Team) => member.userId === userId && member.role === "OWNER";

export function organizationOf(session: Session, organizationId: string): Session["organizations"][number] | undefined {
  return session.organizations.find(({ id }) => id === organizationId);
}
