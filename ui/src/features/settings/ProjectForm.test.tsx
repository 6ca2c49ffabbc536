// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { cleanup, get, type } from "@/shared/test/render";
import { ProjectForm } from "./ProjectForm";
import { fakeApi, field, showTo, submit } from "./testing";

afterEach(cleanup);

const change = "PUT /api/public/projects/{projectId}";
const facts = { id: "p1", name: "shop", organization: { id: "o1", name: "Acme" }, metadata: {}, retentionDays: 90 };

describe("ProjectForm", () => {
  it("asks before it keeps data for a shorter time", async () => {
    const { api, changes } = fakeApi({ [change]: facts });
    await showTo({ role: "ADMIN" }, api, <ProjectForm facts={facts} readOnly={false} />);
    await type(field("Keep traces and scores for"), "30");
    await submit();
    expect(changes()).toEqual([]);
    expect(get("alertdialog").textContent).toContain("erases traces and scores that are older than 30 days");
    expect((get("button", "Save and erase") as HTMLButtonElement).disabled).toBe(true);
  });

  it("saves a name and a longer time at once", async () => {
    const { api, changes } = fakeApi({ [change]: { ...facts, name: "store" } });
    await showTo({ role: "ADMIN" }, api, <ProjectForm facts={facts} readOnly={false} />);
    await type(field("Name"), "store");
    await type(field("Keep traces and scores for"), "");
    await submit();
    expect(changes()).toEqual([[change, { name: "store", retention: 0, payloadRetention: 0 }]]);
  });

  it("takes nothing from those who may only look", async () => {
    await showTo({ role: "VIEWER" }, fakeApi({}).api, <ProjectForm facts={facts} readOnly />);
    expect(document.querySelector("fieldset")?.disabled).toBe(true);
    expect(() => get("button", "Save")).toThrow();
  });
});
