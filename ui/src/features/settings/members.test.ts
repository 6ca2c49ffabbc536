// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { createApi } from "@/shared/api/client";
import type { Role } from "@/shared/api/project";
import { isOwnOwner, type Member, membersOf, powersOver, rolesUpTo, type Team } from "./members";

const member = (role: Role, userId = "u2"): Member => ({ userId, name: "Bob", email: "bob@example.com", role, projectRole: null });
const team = (role: Role, projectRole?: Role): Team => ({
  organization: { id: "o", name: "Acme", role }, project: projectRole && { id: "p", name: "shop", role: projectRole }, api: createApi("p"), userId: "u1",
});

describe("membersOf", () => {
  it("lays the roles of the project beside those of the organization", () => {
    const bob = { userId: "u2", name: "Bob", email: "bob@example.com", role: "VIEWER" as const };
    const eve = { userId: "u3", name: "Eve", email: "eve@example.com", role: "MEMBER" as const };
    expect(membersOf([bob, eve], [{ ...bob, role: "ADMIN" }]).map(({ userId, role, projectRole }) => [userId, role, projectRole])).toEqual([
      ["u2", "VIEWER", "ADMIN"],
      ["u3", "MEMBER", null],
    ]);
  });
});

describe("powersOver", () => {
  it("needs an admin, who is not below the other", () => {
    expect(powersOver(member("MEMBER"), team("ADMIN"))).toEqual({ inOrganization: true, inProject: false });
    expect(powersOver(member("OWNER"), team("ADMIN")).inOrganization).toBe(false);
    expect(powersOver(member("OWNER"), team("OWNER")).inOrganization).toBe(true);
    expect(powersOver(member("VIEWER"), team("MEMBER")).inOrganization).toBe(false);
  });

  it("counts the role of the project in the project", () => {
    expect(powersOver(member("MEMBER"), team("VIEWER", "ADMIN"))).toEqual({ inOrganization: false, inProject: true });
    expect(powersOver(member("MEMBER"), team("ADMIN", "VIEWER"))).toEqual({ inOrganization: true, inProject: false });
  });
});

describe("rolesUpTo", () => {
  it("ends at the own role", () => {
    expect(rolesUpTo("ADMIN").map(({ value }) => value)).toEqual(["VIEWER", "MEMBER", "ADMIN"]);
  });
});

describe("isOwnOwner", () => {
  it("is an owner that looks at the own row", () => {
    expect(isOwnOwner(member("OWNER", "u1"), team("OWNER"))).toBe(true);
    expect(isOwnOwner(member("OWNER"), team("OWNER"))).toBe(false);
    expect(isOwnOwner(member("ADMIN", "u1"), team("ADMIN"))).toBe(false);
  });
});
