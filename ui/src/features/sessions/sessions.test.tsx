// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { type Answers, Refusal, renderProjectPage, settle } from "@/shared/test/projectPage";
import { cleanup, click, get, press } from "@/shared/test/render";
import { SessionPage } from "./SessionPage";
import { SessionsPage } from "./SessionsPage";

afterEach(cleanup);

const body = () => document.body.textContent ?? "";
const session = { id: "chat-7", firstSeen: "2026-11-15T10:00:00Z", lastSeen: "2026-11-15T10:04:10Z", traces: 3, observations: 41, errors: 1, inputTokens: 5120, outputTokens: 900, totalTokens: 6020, totalCost: 0.0421, duration: 250, users: ["ada"], userCount: 1 };

describe("SessionsPage", () => {
  it("lists sessions, and fetches environments and scores of those in sight", async () => {
    await renderProjectPage("sessions", SessionsPage, "/project/p/sessions", {
      "/api/public/session-summaries": () => ({ data: [session], meta: { page: 1, limit: 100, totalItems: 1, totalPages: 1, rows: 41, sampled: true, since: "2026-11-15T09:00:00Z" } }),
      "/api/public/v2/metrics": () => ({ data: [{ sessionId: "chat-7", environment: "staging", count_count: 41 }] }),
      "/api/public/v3/scores": () => ({ data: [{ id: "s1", name: "mood", dataType: "CATEGORICAL", value: "good", subject: { kind: "session", id: "chat-7" } }], meta: {} }),
    });
    for (const text of ["chat-7", "ada", "4m 10s", "6.0k", "$0.0421", "staging", "moodgood"]) expect(body()).toContain(text);
    expect(body()).toContain("more rows than one read looks at");
  });
});

const root = (index: number, more: object = {}) => ({ id: `o${index}`, traceId: `t${index}`, name: "chat", type: "AGENT", level: "DEFAULT", startTime: `2026-11-15T10:0${index}:00.000Z`, endTime: `2026-11-15T10:0${index}:02.000Z`, isRootObservation: true, userId: "ada", ...more });
const answers: Answers = {
  "/api/public/v2/observations": (search) => (search.get("type") === "TOOL" ? { data: [{ id: "call", traceId: "t1", name: "lookup", level: "DEFAULT", latency: 0.5 }], meta: {} } : { data: [root(3, { level: "ERROR", statusMessage: "It broke" }), root(1)], meta: {} }),
  "/api/public/v3/scores": (search) => ({ data: search.has("traceId") ? [{ id: "s1", name: "correct", dataType: "BOOLEAN", value: true, subject: { kind: "observation", id: "x", traceId: "t1" } }] : [], meta: {} }),
  "/api/public/previews": () => ({ data: [{ id: "o1", traceId: "t1", startTime: "", input: '{"question":"Where is it?"}', output: '"On its way."', inputMore: false, outputMore: false }, { id: "o3", traceId: "t3", startTime: "", input: "Again?", output: null, inputMore: false, outputMore: false }] }),
  "/api/public/v2/metrics": (search) => {
    const query = search.get("query") ?? "";
    if (query.includes('"TOOL"')) return { data: [{ traceId: "t1", name: "lookup", count_count: 1 }] };
    if (query.includes('"ERROR"')) return { data: [{ traceId: "t3", count_count: 2 }] };
    return { data: [{ traceId: "t1", count_count: 4, sum_totalCost: 0.01, sum_totalTokens: 300 }, { traceId: "t3", count_count: 4, sum_totalCost: 0.02, sum_totalTokens: 60 }] };
  },
};

describe("SessionPage", () => {
  it("shows what was said in each turn, what it took, and the pause between them", async () => {
    await renderProjectPage("sessions/$sessionId", SessionPage, "/project/p/sessions/chat-7", answers);
    for (const text of ["2 turns", "2m 02s", "360 tokens", "$0.0300", "2 errors", "Where is it?", "On its way.", "1m 58s idle", "correctyes", "It broke"]) expect(body()).toContain(text);
    expect(body().indexOf("Where is it?")).toBeLessThan(body().indexOf("Again?"));
    await click(get("button", "1 tool calllookup"));
    await settle();
    expect(get("link", "lookup").getAttribute("href")).toBe("/project/p/traces/t1?observation=call");
  });

  it("moves by keys from turn to turn, in the address, and opens its trace", async () => {
    const at = await renderProjectPage("sessions/$sessionId", SessionPage, "/project/p/sessions/chat-7", answers);
    await press("j");
    await settle();
    await press("j");
    await settle();
    expect(at.address()).toBe("/project/p/sessions/chat-7?turn=t3");
    await press("Enter");
    await settle();
    expect(at.address()).toBe("/project/p/traces/t3");
  });

  it("reads a long session bit by bit, and says that a turn is not among what it read", async () => {
    let reads = 0;
    const long = (search: URLSearchParams) => (reads++, search.has("cursor") ? { data: [root(1)], meta: {} } : { data: [root(3)], meta: { cursor: "c" } });
    await renderProjectPage("sessions/$sessionId", SessionPage, "/project/p/sessions/chat-7?turn=t1", { ...answers, "/api/public/v2/observations": long });
    expect(reads).toBe(1);
    expect(body()).toContain("The turn of this address is not among the newest 1 turns");
    await click(get("button", "Read 500 earlier"));
    await settle();
    expect(body()).not.toContain("not among");
    expect(body()).toContain("2 turns");
  });

  it("says that there is no such session, and what failed", async () => {
    await renderProjectPage("sessions/$sessionId", SessionPage, "/project/p/sessions/nope", { ...answers, "/api/public/v2/observations": () => ({ data: [], meta: {} }) });
    expect(body()).toContain("No trace belongs to this session");
    cleanup();
    await renderProjectPage("sessions/$sessionId", SessionPage, "/project/p/sessions/nope", { ...answers, "/api/public/v2/observations": () => new Refusal(503, "The store is starting.") });
    expect(body()).toContain("The store is starting.");
  });
});
