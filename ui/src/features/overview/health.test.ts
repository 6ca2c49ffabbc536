import { describe, expect, it } from "vitest";
import { healthOf } from "./health";

type Requests = Parameters<typeof healthOf>[0];
const queue = { pendingRecords: 0, oldestPendingAt: null, lagSeconds: 0, deadLetters: 0, deadLettersMore: false };
const request = (code: string | null, reason: string | null) => ({ at: "2026-11-15T10:00:00Z", code, reason, spansAccepted: 12, spansRejected: code === null ? 0 : 1 }) as Requests["data"][number];
const of = (data: Requests["data"], changed: Partial<typeof queue> | null = {}) => healthOf({ data, queue: changed === null ? null : { ...queue, ...changed }, nodes: 1, unknownKeys: [] } as Requests);

describe("healthOf", () => {
  it("is well when everything was taken", () => {
    expect(of([request(null, null), request(null, null)])).toMatchObject({ well: true, requests: 2, refused: 0, accepted: 24, rejected: 0, verdict: "What clients send arrives." });
    expect(of([]).verdict).toBe("Nothing was sent since the server started.");
  });

  it("names the newest refusal", () => {
    expect(of([request(null, null), request("spans_rejected", "trace id must be 16 bytes")])).toMatchObject({ well: false, refused: 1, rejected: 1, verdict: "1 of 2 requests were refused, wholly or in part. The newest: trace id must be 16 bytes." });
  });

  it("puts what is worse first", () => {
    const refused = [request("invalid", "no")];
    expect(of(refused, { lagSeconds: 90 }).verdict).toMatch(/behind/);
    expect(of(refused, { lagSeconds: 90, deadLetters: 3 }).verdict).toMatch(/^3 records/);
    expect(of(refused, null)).toMatchObject({ well: false, waiting: null, lagMs: null });
  });
});
