// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import { cleanup, click, get, type } from "@/shared/test/render";
import { MembersPage } from "./MembersPage";
import { choose, fakeApi, field, showTo, submit } from "./testing";

const own = vi.hoisted(() => ({ api: {} })); // the client of the person, which pages make themselves
vi.mock("@/shared/api/client", async (original) => ({ ...(await original<object>()), createApi: () => own.api }));
const answerOwn = (answers: Record<string, unknown>) => Object.assign(own.api, fakeApi(answers).api);
afterEach(cleanup);

const organization = "/api/public/organizations/memberships";
const project = "/api/public/projects/{projectId}/memberships";
const invitations = "/api/ui/invitations";
const ada = { userId: "u1", name: "Ada", email: "ada@example.com", role: "OWNER" };
const bob = { userId: "u2", name: "Bob", email: "bob@example.com", role: "MEMBER" };
const read = { [`GET ${organization}`]: { memberships: [ada, bob] }, [`GET ${project}`]: { memberships: [{ ...bob, role: "ADMIN" }] } };
const text = () => document.body.textContent;

describe("MembersPage", () => {
  it("shows roles of organization and project, and to a viewer nothing to press", async () => {
    await showTo({ role: "VIEWER" }, fakeApi(read).api, <MembersPage />);
    expect(get("table", "Members").textContent).toMatch(/Bob.*MEMBER.*ADMIN/);
    expect(text()).toContain("To invite people you need the role ADMIN in the organization Acme");
    expect(document.querySelectorAll("table button")).toHaveLength(0);
  });

  it("changes only what was changed", async () => {
    answerOwn({ [`GET ${invitations}`]: { data: [] } });
    const { api, changes } = fakeApi({ ...read, [`PUT ${organization}`]: bob, [`DELETE ${project}`]: {} });
    await showTo({ role: "OWNER" }, api, <MembersPage />);
    expect(text()).toContain("Another owner can change your role");
    await click(get("button", "Change role… of Bob"));
    await choose(field("In the project shop"), "");
    await submit();
    expect(changes()).toEqual([[`DELETE ${project}`, { userId: "u2" }]]);
    await click(get("button", "Change role… of Bob"));
    await choose(field("In the organization Acme"), "VIEWER");
    await submit();
    expect(changes().at(-1)).toEqual([`PUT ${organization}`, { userId: "u2", role: "VIEWER" }]);
    expect(changes()).toHaveLength(2);
  });

  it("shows the link of an invitation, or at the field why there is none", async () => {
    answerOwn({ [`GET ${invitations}`]: { data: [] }, [`POST ${invitations}`]: new ApiError(409, "bob@example.com is a member already", undefined, "req-1") });
    await showTo({ role: "ADMIN" }, fakeApi(read).api, <MembersPage />);
    await click(get("button", "Invite"));
    const email = field("Email");
    await type(email, "bob@example.com");
    await submit();
    expect(email.getAttribute("aria-invalid")).toBe("true");
    expect(document.getElementById(email.getAttribute("aria-describedby")!)?.textContent).toContain("member already");
    answerOwn({ [`GET ${invitations}`]: { data: [] }, [`POST ${invitations}`]: { id: "i1", email: "eve@example.com", role: "MEMBER", link: "https://sonde.example.com/auth/sign-up?invitation=8fTk", createdAt: "", expiresAt: "2026-05-08T10:00:00Z" } });
    await type(email, "eve@example.com");
    await submit();
    expect(field("Link").value).toContain("invitation=8fTk");
  });
});
