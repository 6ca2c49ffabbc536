// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import { cleanup, get } from "@/shared/test/render";
import { renderInProject, settle } from "@/shared/test/renderInProject";
import { PromptsPage } from "./PromptsPage";

beforeAll(() => vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener: () => undefined, removeEventListener: () => undefined })));
afterEach(cleanup);

const prompt = (name: string) => ({ name, type: "text", versions: [1, 2], labels: ["production"], tags: ["billing"], lastUpdatedAt: "2026-05-01T00:00:00Z", lastConfig: {} });
const page = (names: string[]) => ({ data: names.map(prompt), meta: { page: 1, limit: 100, totalItems: names.length, totalPages: 1 } });
const answers = (names: string[]) => ({
  "GET /api/public/v2/prompts": () => page(names),
  "GET /api/public/v2/metrics": () => ({ data: [{ promptName: "support/answer", count_count: 12 }] }),
});
const text = () => document.body.textContent ?? "";

describe("PromptsPage", () => {
  it("shows folders with what their prompts did, and prompts beside them", async () => {
    await renderInProject(PromptsPage, answers(["greeting", "support/answer"]));
    expect(text()).toContain("support (folder)");
    expect(text()).toContain("1 prompt");
    expect(text()).toContain("12");
  });

  it("finds prompts of all folders by words", async () => {
    await renderInProject(PromptsPage, answers(["greeting", "support/answer"]), { search: "?q=answer" });
    expect(text()).toContain("support/answer");
    expect(text()).not.toContain("greeting");
  });

  it("says what to do where there are none, and offers it to those who may", async () => {
    await renderInProject(PromptsPage, answers([]), { role: "VIEWER" });
    expect(text()).toContain("No prompts yet");
    expect(text()).not.toContain("New prompt");
  });

  it("says what went wrong, and tries again", async () => {
    let broken = true;
    await renderInProject(PromptsPage, { ...answers(["greeting"]), "GET /api/public/v2/prompts": () => {
      if (broken) throw new ApiError(503, "Starting", undefined, "req-1");
      return page(["greeting"]);
    } });
    expect(text()).toContain("req-1");
    broken = false;
    await act(async () => get("button", "Try again").click());
    await settle();
    expect(text()).toContain("greeting");
  });
});
