// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Answers, Refusal, renderProjectPage, settle } from "@/shared/test/projectPage";
import { cleanup, click, get, press } from "@/shared/test/render";
import { UserPage } from "./UserPage";
import { UsersPage } from "./UsersPage";

vi.mock("@/shared/ui/ChartCanvas", () => ({ default: () => <div data-chart /> }));

afterEach(cleanup);

const ada = { id: "ada", firstSeen: "2026-11-15T10:00:00Z", lastSeen: "2026-11-15T11:00:00Z", traces: 3, observations: 41, errors: 1, inputTokens: 5120, outputTokens: 900, totalTokens: 6020, totalCost: 0.0421, sessions: 2 };
const page = (data: unknown[]) => ({ data, meta: { page: 1, limit: 100, totalItems: data.length, totalPages: 1, rows: 41, sampled: false } });
const body = () => document.body.textContent ?? "";

describe("UsersPage", () => {
  it("lists users, sorts on the server and keeps the order in the address", async () => {
    const orders: (string | null)[] = [];
    const at = await renderProjectPage("users", UsersPage, "/project/p/users", { "/api/public/users": (search) => (orders.push(search.get("orderBy")), page([ada])) });
    expect(body()).toContain("1 users");
    expect(body()).toContain("$0.0421");
    await click(get("button", "Cost"));
    await settle();
    expect(at.address()).toBe("/project/p/users?sort=totalCost.desc");
    expect(orders).toEqual(["lastSeen.desc", "totalCost.desc"]);
    await press("j");
    await press("Enter");
    await settle();
    expect(at.address()).toBe("/project/p/users/ada");
  });

  it("takes bare words as the beginning of ids and the rest as conditions", async () => {
    const asked: URLSearchParams[] = [];
    await renderProjectPage("users", UsersPage, "/project/p/users?q=ad+level:ERROR", { "/api/public/users": (search) => (asked.push(search), page([])) });
    expect(asked[0]?.get("prefix")).toBe("ad");
    expect(JSON.parse(asked[0]?.get("filter") ?? "")).toMatchObject([{ column: "level", value: ["ERROR"] }]);
    expect(body()).toContain("No users match the query");
  });

  it("says what failed, with the request's id, and asks again", async () => {
    let fails = true;
    await renderProjectPage("users", UsersPage, "/project/p/users", { "/api/public/users": () => (fails ? new Refusal(422, "The range has too many rows.") : page([ada])) });
    expect(body()).toContain("The range has too many rows.");
    expect(body()).toContain("REQ1");
    fails = false;
    await click(get("button", "Try again"));
    await settle();
    expect(body()).toContain("$0.0421");
  });
});

describe("UserPage", () => {
  const answers: Answers = {
    "/api/public/users": () => page([ada]),
    "/api/public/session-summaries": () => page([{ ...ada, id: "chat-7", duration: 250, users: ["ada"], userCount: 1 }]),
    "/api/public/v2/metrics": () => ({ data: [] }),
    "/api/public/v2/observations": () => ({ data: [{ id: "o1", traceId: "t1", name: "support", type: "AGENT", startTime: ada.lastSeen, isRootObservation: true }], meta: {} }),
  };

  it("shows figures, courses, traces and sessions, with links to lists of this user", async () => {
    const { asked } = await renderProjectPage("users/$userId", UserPage, "/project/p/users/ada", answers);
    expect(asked.toSorted()).toEqual(Object.keys(answers).toSorted());
    expect(body()).toContain("41 observations, 2 sessions");
    expect(get("link", "support").getAttribute("href")).toBe("/project/p/traces/t1");
    expect(get("link", "chat-7").getAttribute("href")).toBe("/project/p/sessions/chat-7");
    expect(decodeURIComponent(get("link", "Traces").getAttribute("href") ?? "")).toBe("/project/p/traces?q=userId:=ada&range=30d");
    expect(document.querySelectorAll("[data-chart]")).toHaveLength(2);
  });

  it("offers a longer time when there is nothing", async () => {
    const at = await renderProjectPage("users/$userId", UserPage, "/project/p/users/bob?range=7d", { ...answers, "/api/public/users": () => page([]) });
    expect(body()).toContain("Nothing of this user in this time");
    await click(get("button", "Last 30 days"));
    expect(at.address()).toBe("/project/p/users/bob");
  });
});
