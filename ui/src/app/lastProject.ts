import type { Session } from "@/shared/api/session";

const key = "sonde.project";

export function rememberProject(id: string): void {
  try {
    localStorage.setItem(key, id);
  } catch {
    // Storage may be forbidden: then the first project is the start.
  }
}

/** The project that was looked at last, or the first there is. */
export function lastProject(session: Session): { id: string; name: string } | undefined {
  const projects = session.organizations.flatMap((organization) => organization.projects);
  let last: string | null = null;
  try {
    last = localStorage.getItem(key);
  } catch {
    // As above.
  }
  return projects.find((project) => project.id === last) ?? projects[0];
}
