import { describe, expect, it } from "vitest";
import type { IngestRequest } from "./api";
import { adviceOf, isRefused, sdkOf, toneOf, withKeys } from "./requests";

const taken: IngestRequest = {
  at: "2026-05-01T10:00:00.250Z", path: "/api/public/otel/v1/traces", method: "POST", status: 200, code: null, reason: null, bytes: 10, spansAccepted: 2, spansRejected: 0,
  sdkName: "python", sdkVersion: "4.2.0", ingestionVersion4: true, publicKey: "pk", proved: true,
};

describe("ingest requests", () => {
  it("are coloured by how much was taken", () => {
    expect(toneOf(taken)).toBe("ok");
    expect(toneOf({ ...taken, code: "spans_rejected", spansRejected: 1 })).toBe("warn");
    expect(toneOf({ ...taken, code: "spans_rejected", spansRejected: 1, spansAccepted: 0 })).toBe("danger");
    expect(toneOf({ ...taken, status: 401, code: "wrong_secret", spansAccepted: 0 })).toBe("danger");
    expect([isRefused(taken), isRefused({ ...taken, code: "spans_rejected" })]).toEqual([false, true]);
  });

  it("tell what to do, when something was refused", () => {
    expect(adviceOf(taken)).toBeUndefined();
    expect(adviceOf({ ...taken, code: "wrong_path" })).toContain("/api/public/otel/v1/traces");
  });

  it("keep their keys when newer ones come, and differ within a moment", () => {
    const before = withKeys([taken, taken]).map(({ key }) => key);
    const after = withKeys([{ ...taken, at: "2026-05-01T10:00:01.000Z" }, taken, taken]).map(({ key }) => key);
    expect(new Set(after).size).toBe(3);
    expect(after.slice(1)).toEqual(before);
  });

  it("name the SDK as far as it is known", () => {
    expect([sdkOf(taken), sdkOf({ ...taken, sdkVersion: null }), sdkOf({ ...taken, sdkName: null, sdkVersion: null })]).toEqual(["python 4.2.0", "python", null]);
  });
});
