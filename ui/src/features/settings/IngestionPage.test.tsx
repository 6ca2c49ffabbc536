// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import type { Role } from "@/shared/api/project";
import { cleanup, click, get, type } from "@/shared/test/render";
import { type Answer, type Answers, renderInProject, settle } from "@/shared/test/renderInProject";
import type { DeadLetter, IngestRequest, IngestRequests } from "./ingestion/api";
import { IngestionPage } from "./IngestionPage";

let stream: EventTarget | undefined;

beforeEach(() => {
  vi.stubGlobal("EventSource", class extends EventTarget {
    constructor() {
      super();
      // oxlint-disable-next-line typescript/no-this-alias -- the test speaks for the server
      stream = this;
    }
    close() {
      stream = undefined;
    }
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const request = (change: Partial<IngestRequest> = {}): IngestRequest => ({
  at: "2026-05-01T10:00:00.250Z", path: "/api/public/otel/v1/traces", method: "POST", status: 200, code: null, reason: null, bytes: 1000, spansAccepted: 12, spansRejected: 0,
  sdkName: "python", sdkVersion: "4.2.0", ingestionVersion4: true, publicKey: "pk-1", proved: true, ...change,
});
const wrongSecret = request({ status: 401, code: "wrong_secret", reason: "the secret key does not belong to this public key", spansAccepted: 0, proved: false });

const answer = (data: IngestRequest[], queue: Partial<NonNullable<IngestRequests["queue"]>> = {}): IngestRequests => ({
  data, queue: { pendingRecords: 0, oldestPendingAt: null, lagSeconds: 0, deadLetters: 0, deadLettersMore: false, ...queue }, nodes: 1, unknownKeys: [],
});

const letter: DeadLetter = { id: "7", projectId: "p1", kind: "otlp-traces", reason: "row too large", buriedAt: "2026-05-01T10:00:00.000Z", bytes: 2000, redriven: 1, position: { partition: 1, sequence: 2 }, origin: { partition: 1, sequence: 1 } };

function show(answers: Answers, options: { role?: Role; search?: string } = {}) {
  return renderInProject(IngestionPage, { "GET /api/public/ingest-requests": () => answer([]), "GET /api/public/dead-letters": () => ({ data: [], meta: {} }), ...answers }, options);
}

const text = () => document.body.textContent;

describe("IngestionPage", () => {
  it("shows requests, and why one was refused and what to do", async () => {
    await show({ "GET /api/public/ingest-requests": () => answer([wrongSecret, request()]) });
    expect(text()).toContain("2 of 2 requests");
    await click(get("button", `Details of ${wrongSecret.path} at ${wrongSecret.at}`));
    expect(text()).toContain("Copy both halves of one key again");
    expect(text()).toContain("not proved");
  });

  it("keeps in the address that only refused ones are shown", async () => {
    await show({ "GET /api/public/ingest-requests": () => answer([wrongSecret, request()]) }, { search: "?show=refused" });
    expect(text()).toContain("1 of 2 requests");
    expect(document.querySelectorAll("tbody tr")).toHaveLength(1);
  });

  it("reads again when the server tells of news, unless it is paused", async () => {
    let data = [request()];
    await show({ "GET /api/public/ingest-requests": () => answer(data) });
    data = [wrongSecret, ...data];
    act(() => void stream!.dispatchEvent(new Event("ingest.rejected")));
    await settle();
    expect(text()).toContain("2 of 2 requests");
    await click(get("switch"));
    await settle();
    expect(stream).toBeUndefined();
  });

  it("says how far storing is behind, and when nobody knows", async () => {
    await show({ "GET /api/public/ingest-requests": () => answer([request()], { pendingRecords: 1200, lagSeconds: 90 }) });
    expect(text()).toContain("1m 30s behind");
    expect(text()).toContain("1,200");
    cleanup();
    await show({ "GET /api/public/ingest-requests": () => ({ ...answer([request()]), queue: null }) });
    expect(text()).toContain("The ingest log does not answer");
  });

  it("stores a dead letter again", async () => {
    const redriven = vi.fn<Answer>(() => ({}));
    await show({ "GET /api/public/dead-letters": () => ({ data: redriven.mock.calls.length === 0 ? [letter] : [], meta: {} }), "POST /api/public/dead-letters/{id}/redrive": redriven });
    expect(text()).toContain("row too large");
    await click(get("button", "Store again dead letter 7"));
    await settle();
    expect(redriven.mock.lastCall?.[0].params?.path).toEqual({ id: "7" });
    expect(text()).toContain("None: all that was accepted could be stored.");
  });

  it("drops a dead letter once that was typed", async () => {
    const dropped = vi.fn(() => ({}));
    await show({ "GET /api/public/dead-letters": () => ({ data: [letter], meta: {} }), "DELETE /api/public/dead-letters/{id}": dropped });
    await click(get("button", "Drop dead letter 7"));
    await click(get("button", "Drop for good"));
    expect(dropped).not.toHaveBeenCalled();
    await type(get("alertdialog").querySelector("input")!, "drop");
    await click(get("button", "Drop for good"));
    await settle();
    expect(dropped).toHaveBeenCalledTimes(1);
    expect(document.querySelector("[role=alertdialog]")).toBeNull();
  });

  it("asks for dead letters as an admin only", async () => {
    const asked = vi.fn(() => ({ data: [], meta: {} }));
    await show({ "GET /api/public/dead-letters": asked }, { role: "VIEWER" });
    expect(asked).not.toHaveBeenCalled();
    expect(text()).toContain("You are VIEWER here");
  });

  it("says what to do when nothing was sent, and what went wrong", async () => {
    await show({});
    expect(get("link", "Send a first trace").getAttribute("href")).toBe("/project/p1/setup");
    cleanup();
    await show({ "GET /api/public/ingest-requests": () => { throw new ApiError(503, "The log does not answer", undefined, "r1"); } });
    expect(get("alert").textContent).toContain("The log does not answer");
  });
});
