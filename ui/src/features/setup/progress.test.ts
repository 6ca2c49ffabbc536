import { describe, expect, it } from "vitest";
import { failuresOf } from "./failures";
import { type Evidence, type IngestRequest, progressOf } from "./progress";

const request = (over: Partial<IngestRequest>): IngestRequest => ({
  at: "2026-11-15T16:00:00.000Z", path: "/api/public/otel/v1/traces", method: "POST", status: 200, code: null, reason: null, bytes: 10,
  spansAccepted: 0, spansRejected: 0, sdkName: null, sdkVersion: null, ingestionVersion4: true, publicKey: "pk-1", proved: true, ...over,
});
const key = { publicKey: "pk-1", createdAt: "2026-11-15T15:00:00.000Z", lastUsedAt: null };
const evidence = (over: Partial<Evidence>): Evidence => ({ key, only: null, requests: [], seen: undefined, trace: undefined, ...over });

describe("progressOf", () => {
  it("waits for everything in a new project", () => {
    expect(progressOf(evidence({ key: undefined }))).toEqual({ key: null, seen: null, accepted: null, trace: null });
  });
  it("tells the first request of the key, and counts what was taken", () => {
    const requests = [request({ at: "2026-11-15T16:00:02.000Z", spansAccepted: 3 }), request({ at: "2026-11-15T16:00:01.000Z", spansAccepted: 2, sdkName: "python", sdkVersion: "5.0.4" })];
    expect(progressOf(evidence({ requests }))).toMatchObject({ seen: { at: "2026-11-15T16:00:01.000Z", sdk: "python 5.0.4" }, accepted: { spans: 5, requests: 2 }, trace: null });
  });
  it("knows a key that it may not list by its use", () => {
    expect(progressOf(evidence({ key: undefined, requests: [request({ spansAccepted: 1 })] })).key).toEqual({ publicKey: "pk-1", createdAt: null });
  });
  it("does not take a request without the secret for the key", () => {
    expect(progressOf(evidence({ requests: [request({ proved: false, status: 401, code: "wrong_secret" })] })).seen).toBeNull();
  });
  it("counts only a new key where there is one", () => {
    const requests = [request({ publicKey: "pk-other", spansAccepted: 9 })];
    expect(progressOf(evidence({ only: "pk-1", requests, seen: { at: "now", publicKey: "pk-other", sdk: null } }))).toMatchObject({ seen: null, accepted: null });
  });
  it("knows of a check of the key, which brings nothing in", () => {
    const seen = { at: "2026-11-15T16:00:00.000Z", publicKey: "pk-1", sdk: "python 5.0.4" };
    expect(progressOf(evidence({ only: "pk-1", seen })).seen).toEqual(seen);
  });
  it("takes a readable trace for accepted after the server forgot its requests", () => {
    const used = { ...key, lastUsedAt: "2026-11-14T10:00:00.000Z" };
    expect(progressOf(evidence({ key: used, trace: { traceId: "t", name: "chat" } }))).toMatchObject({ seen: { at: used.lastUsedAt }, accepted: { spans: null }, trace: { traceId: "t" } });
  });
});

describe("failuresOf", () => {
  const now = Date.parse("2026-11-15T16:10:00.000Z");
  const whatOf = (requests: IngestRequest[], unknown: Parameters<typeof failuresOf>[1] = []) => failuresOf(requests, unknown, now, "https://s.example").map(({ what }) => what);

  it.each<[Partial<IngestRequest>, RegExp]>([
    [{ code: "wrong_secret", status: 401, proved: false }, /^401: pk-1 is right, but the secret/],
    [{ code: "key_not_valid", status: 401 }, /pk-1 was deleted or has expired/],
    [{ code: "wrong_path", status: 404, path: "/api/public/otel/v1/trace" }, /^404: nothing is served at \/api\/public\/otel\/v1\/trace$/],
    [{ code: "content_type", status: 400, reason: "Content-Type text/plain is not supported" }, /text\/plain/],
    [{ code: "spans_rejected", spansRejected: 4, reason: "no trace id" }, /^All 4 spans of a request were rejected: no trace id/],
    [{ code: "spans_rejected", spansRejected: 1, spansAccepted: 2, reason: "no trace id" }, /^1 of 3 spans were rejected/],
    [{ code: "failed", status: 500, reason: "broken" }, /^500 on .*: broken/],
  ])("explains %o", (over, what) => expect(whatOf([request(over)])).toEqual([expect.stringMatching(what)]));

  it("names an unknown key", () => {
    expect(whatOf([], [{ at: "2026-11-15T16:09:00.000Z", publicKeyPrefix: "pk-lf-012345", path: "/x", count: 2 }])).toEqual(["401 on /x: no key of this server begins with pk-lf-012345"]);
  });
  it("forgets failures once everything goes well, and old ones", () => {
    const bad = request({ code: "wrong_secret", status: 401 });
    expect(whatOf([request({ at: "2026-11-15T16:00:01.000Z", spansAccepted: 1 }), bad])).toEqual([]);
    expect(whatOf([request({ ...bad, at: "2026-11-15T15:00:00.000Z" })])).toEqual([]);
  });
  it("says the same once", () => {
    const bad = request({ code: "wrong_secret", status: 401 });
    expect(whatOf([{ ...bad, at: "2026-11-15T16:00:09.000Z" }, bad])).toHaveLength(1);
  });
});
