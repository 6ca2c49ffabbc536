// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Answers, Refusal, renderProjectPage, settle } from "@/shared/test/projectPage";
import { cleanup, click, get } from "@/shared/test/render";
import { OverviewPage } from "./OverviewPage";

vi.mock("@/shared/ui/ChartCanvas", () => ({ default: () => <div data-chart /> }));
afterEach(cleanup);

const body = () => document.body.textContent ?? "";
const now = Date.now();

/** Answers of metrics by what is asked for; the time before had half of everything. */
function metrics(search: URLSearchParams) {
  const query = JSON.parse(search.get("query") ?? "{}") as { dimensions: { field: string }[]; timeDimension?: object; toTimestamp: string };
  const share = Date.parse(query.toTimestamp) < now - 3_600_000 ? 0.5 : 1;
  const [dimension] = query.dimensions.map(({ field }) => field);
  if (query.timeDimension !== undefined) return { data: [] };
  if (dimension === "level") return { data: [{ level: "ERROR", uniq_traceId: 10 }] };
  if (dimension === "name") return { data: [{ name: "answer", count_count: 7 }] };
  return { data: [{ isRootObservation: true, count_count: 100, uniq_traceId: 100 * share, sum_totalCost: 2 * share, p95_latency: 1500 }] };
}

const answers: Answers = {
  "/api/public/v2/metrics": metrics,
  "/api/public/histogram": () => ({ data: [], meta: { rows: 0, sampled: false, bucketSeconds: 1800 } }),
  "/api/public/facets": () => ({ data: { environment: [{ value: "staging", count: 3 }] }, meta: {} }),
  "/api/public/users": () => ({ data: [{ id: "ada", totalCost: 1.5 }], meta: { page: 1, limit: 8, totalItems: 41, totalPages: 6 } }),
  "/api/public/v2/observations": () => ({ data: [{ id: "o1", traceId: "t1", name: "answer", type: "GENERATION", level: "ERROR", statusMessage: "reset by peer", startTime: new Date(now).toISOString() }], meta: {} }),
  "/api/public/ingest-requests": () => ({ data: [], queue: { pendingRecords: 0, oldestPendingAt: null, lagSeconds: 0, deadLetters: 0, deadLettersMore: false }, nodes: 1, unknownKeys: [] }),
};

describe("OverviewPage", () => {
  it("shows figures against the time before, courses, rankings, errors and ingestion", async () => {
    await renderProjectPage("/", OverviewPage, "/project/p", answers);
    for (const text of ["100+100 %50 in the time before", "$2.00+100 %", "10.0 %−10.0 points", "1.50 s", "1 of 41 users", "reset by peer", "Nothing was sent since the server started."]) expect(body()).toContain(text);
    expect(document.querySelectorAll("[data-chart]")).toHaveLength(4);
  });

  it("asks all panels for one environment and keeps it in the address", async () => {
    const at = await renderProjectPage("/", OverviewPage, "/project/p?env=staging", { ...answers, "/api/public/histogram": (search) => (search.getAll("environment").includes("staging") ? answers["/api/public/histogram"]!(search) : new Refusal(400, "without environment")) });
    expect(body()).not.toContain("without environment");
    await click(get("button", "answer7"));
    await settle();
    expect(decodeURIComponent(at.address())).toBe("/project/p/observations?q=level:ERROR+name:=answer+environment:staging");
  });

  it("leads from an empty project to its first trace", async () => {
    await renderProjectPage("/", OverviewPage, "/project/p", { ...answers, "/api/public/v2/metrics": () => ({ data: [] }), "/api/public/v2/observations": () => ({ data: [], meta: {} }) });
    expect(body()).toContain("This project has no traces yet");
    expect(get("link", "Send the first trace").getAttribute("href")).toBe("/project/p/setup");
    expect(document.querySelectorAll("[data-chart]")).toHaveLength(0);
  });

  it("leads from an empty time to the newest data", async () => {
    const newest = { data: [{ id: "o1", traceId: "t1", startTime: "2026-01-05T12:00:00.000Z" }], meta: {} };
    const at = await renderProjectPage("/", OverviewPage, "/project/p", { ...answers, "/api/public/v2/metrics": () => ({ data: [] }), "/api/public/v2/observations": (search) => (search.get("level") === "ERROR" ? { data: [], meta: {} } : newest) });
    expect(body()).toContain("Nothing started in this time");
    await click([...document.querySelectorAll("button")].find(({ textContent }) => /Jan/.test(textContent ?? ""))!);
    await settle();
    expect(decodeURIComponent(at.address())).toContain("range=2026-01-05T00:00:00.000Z..2026-01-06T00:00:00.000Z");
  });

  it("leaves the other panels alone when one fails", async () => {
    await renderProjectPage("/", OverviewPage, "/project/p", { ...answers, "/api/public/histogram": () => new Refusal(422, "Too many rows.") });
    expect(body()).toContain("Too many rows.");
    expect(document.querySelectorAll("[data-chart]")).toHaveLength(3);
    expect(body()).toContain("reset by peer");
  });
});
