// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { renderInProject, settle } from "@/shared/test/renderInProject";
import { cleanup, click, get, type } from "@/shared/test/render";
import { ScoreConfigsPage } from "./ScoreConfigsPage";
import { field } from "./testing";

afterEach(cleanup);

const config = { id: "c1", projectId: "p1", name: "tone", dataType: "CATEGORICAL", isArchived: false, description: "How it sounds", minValue: null, maxValue: null, categories: [{ label: "Rude", value: 0 }], createdAt: "", updatedAt: "" };
const body = () => document.body.textContent ?? "";
const list = (...data: unknown[]) => ({ "GET /api/public/score-configs": () => ({ data, meta: { totalItems: data.length } }) });

describe("ScoreConfigsPage", () => {
  it("shows configs, and archived ones when asked", async () => {
    await renderInProject(ScoreConfigsPage, list(config, { ...config, id: "c2", name: "old", isArchived: true }));
    expect(body()).toContain("Rude (0)");
    expect(body()).not.toContain("old");
    cleanup();
    await renderInProject(ScoreConfigsPage, list(config, { ...config, id: "c2", name: "old", isArchived: true }), { search: "?archived=1" });
    expect(body()).toContain("old");
  });

  it("makes one, and says what is wrong before it asks the server", async () => {
    const made: unknown[] = [];
    await renderInProject(ScoreConfigsPage, { ...list(), "POST /api/public/score-configs": ({ body: sent }) => (made.push(sent), config) });
    expect(body()).toContain("No score configs yet");
    await click(get("button", "New config"));
    await click(get("button", "Save"));
    document.querySelector("form")?.requestSubmit();
    await settle();
    expect(body()).toContain("1 to 35 letters");
    expect(made).toEqual([]);
    await type(field("Name"), "tone");
    document.querySelector("form")?.requestSubmit();
    await settle();
    expect(made).toEqual([{ name: "tone", description: "", dataType: "CATEGORICAL", categories: [{ label: "Bad", value: 0 }, { label: "Good", value: 1 }] }]);
  });

  it("lets viewers look only", async () => {
    await renderInProject(ScoreConfigsPage, list(config), { role: "VIEWER" });
    expect(body()).toContain("You are VIEWER here");
    expect(() => get("button", "Edit tone")).toThrow();
  });
});
