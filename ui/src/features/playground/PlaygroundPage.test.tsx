// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cleanup, click, get } from "@/shared/test/render";
import { renderInProject, settle } from "@/shared/test/renderInProject";
import { PlaygroundPage } from "./PlaygroundPage";

beforeAll(async () => {
  await import("@/shared/code/EditorBox");
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener: () => undefined, removeEventListener: () => undefined }));
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList; // jsdom lays nothing out
});
afterEach(cleanup);

const offered = (models: string[], problem: string | null = null) => ({ data: [{ provider: "gateway", adapter: "openai", models, problem }] });
const prompt = { id: "v1", name: "greeting", version: 1, type: "text", prompt: "Greet {{name}}", config: { model: "large" }, labels: [], tags: [] };
const text = () => document.body.textContent ?? "";
const done = { text: "Hello Ada", toolCalls: [], model: "large-1", stopReason: "stop", usageDetails: { total: 17 }, cost: "0.00042", latencyMs: 512, timeToFirstTokenMs: 20, traceId: "0af7651916cd43dd8448eb211c80319c", observationId: "b7ad6b7169203331" };

describe("PlaygroundPage", () => {
  it("says how to connect a provider while no model can be asked", async () => {
    await renderInProject(PlaygroundPage, { "GET /api/public/playground/models": () => ({ data: [] }) });
    expect(text()).toContain("No model can be asked yet");
    expect(get("link", "Connect a provider").getAttribute("href")).toContain("settings");
    cleanup();
    await renderInProject(PlaygroundPage, { "GET /api/public/playground/models": () => offered([], "Models of bedrock cannot be called from here yet") });
    expect(text()).toContain("Models of bedrock cannot be called");
  });

  it("runs a prompt with values, and shows what came of it", async () => {
    const sent = vi.fn();
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
      sent(JSON.parse(String(init.body)));
      return new Response(`event: delta\ndata: {"text":"Hello ","tool":null}\n\nevent: done\ndata: ${JSON.stringify(done)}\n\n`, { headers: { "content-type": "text/event-stream" } });
    });
    await renderInProject(PlaygroundPage, { "GET /api/public/playground/models": () => offered(["small", "large"]), "GET /api/public/v2/prompts/{promptName}": () => prompt }, { search: "?from=prompt:1:greeting" });
    expect(text()).toContain("Give name a value.");
    const field = document.querySelector("textarea") as HTMLTextAreaElement;
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(field, "Ada");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await click(get("button", "Run A"));
    await settle();
    expect(sent).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ provider: "gateway", model: "large", messages: [{ role: "user", content: "Greet Ada" }], prompt: { name: "greeting", version: 1 } }));
    expect(text()).toContain("Hello Ada");
    expect(text()).toContain("17 tokens");
    expect(text()).toContain("$0.00042");
    expect(get("link", "Open the trace").getAttribute("href")).toContain(done.traceId);
  });

  it("lets viewers look, and run nothing", async () => {
    await renderInProject(PlaygroundPage, { "GET /api/public/playground/models": () => offered(["small"]) }, { role: "VIEWER" });
    expect(text()).toContain("needs the role MEMBER");
    expect((get("button", "Run A") as HTMLButtonElement).disabled).toBe(true);
  });
});
