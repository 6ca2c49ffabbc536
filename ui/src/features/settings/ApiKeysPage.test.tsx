// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import { cleanup, click, get, type } from "@/shared/test/render";
import { ApiKeysPage } from "./ApiKeysPage";
import { fakeApi, field, settle, showTo, submit } from "./testing";

afterEach(cleanup);

const list = "/api/public/projects/{projectId}/apiKeys";
const key = { id: "k1", createdAt: "2026-05-01T10:00:00Z", expiresAt: null, lastUsedAt: null, name: "checkout", note: "checkout", scope: "ingest", publicKey: "pk-lf-1", displaySecretKey: "sk-lf-...abcd" };
const text = () => document.body.textContent;

describe("ApiKeysPage", () => {
  it("tells who may not see keys which role is missing, and asks for none", async () => {
    const { api, calls } = fakeApi({});
    await showTo({ role: "VIEWER" }, api, <ApiKeysPage />);
    expect(text()).toContain("ADMIN");
    expect(text()).toContain("You are VIEWER");
    expect(calls).toEqual([]);
    expect(() => get("button", "Create key")).toThrow();
  });

  it("shows a new secret once, with the lines for a program", async () => {
    const { api, changes } = fakeApi({ [`GET ${list}`]: { apiKeys: [key] }, [`POST ${list}`]: { ...key, id: "k2", publicKey: "pk-lf-2", secretKey: "sk-lf-secret" } });
    await showTo({ role: "ADMIN" }, api, <ApiKeysPage />);
    expect(text()).toContain("checkout");
    await click(get("button", "Create key"));
    await type(field("Note"), "evaluation");
    await submit();
    expect(changes()).toEqual([[`POST ${list}`, { name: "evaluation", scope: "all", expiresAt: null }]]);
    expect(field("Secret key").value).toBe("sk-lf-secret");
    expect(text()).toContain("LANGFUSE_SECRET_KEY=sk-lf-secret");
    await click(get("button", "I have copied it"));
    expect(text()).not.toContain("sk-lf-secret");
  });

  it("revokes what is confirmed by typing", async () => {
    const { api, changes } = fakeApi({ [`GET ${list}`]: { apiKeys: [key] }, [`DELETE ${list}/{apiKeyId}`]: { success: true } });
    await showTo({ role: "OWNER" }, api, <ApiKeysPage />);
    await click(get("button", "Revoke… checkout"));
    const revoke = get("button", "Revoke key") as HTMLButtonElement;
    expect(revoke.disabled).toBe(true);
    await type(document.querySelector<HTMLInputElement>("[role=alertdialog] input")!, "checkout");
    expect(revoke.disabled).toBe(false);
    await submit();
    expect(changes()).toEqual([[`DELETE ${list}/{apiKeyId}`, undefined]]);
    await settle();
    expect(document.querySelector("[role=alertdialog]")).toBeNull();
  });

  it("says what to do where there are none, and what went wrong", async () => {
    await showTo({ role: "ADMIN" }, fakeApi({ [`GET ${list}`]: { apiKeys: [] } }).api, <ApiKeysPage />);
    expect(text()).toContain("No keys yet");
    cleanup();
    await showTo({ role: "ADMIN" }, fakeApi({ [`GET ${list}`]: new ApiError(503, "Starting", undefined, "req-1") }).api, <ApiKeysPage />);
    await vi.waitFor(() => expect(get("alert").textContent).toContain("req-1"));
    expect(get("button", "Try again")).toBeTruthy();
  });
});
