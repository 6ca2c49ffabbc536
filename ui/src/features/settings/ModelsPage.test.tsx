// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import type { Role } from "@/shared/api/project";
import { cleanup, click, get, type } from "@/shared/test/render";
import { type Answer, type Answers, renderInProject, settle } from "@/shared/test/renderInProject";
import { ModelsPage } from "./ModelsPage";
import type { Model, ModelBody } from "./models/definition";

afterEach(cleanup);

const model = (modelName: string, change: Partial<Model> = {}): Model => ({
  id: `id-${modelName}`, modelName, matchPattern: `(?i)^${modelName}$`, startDate: null, unit: "TOKENS", inputPrice: 4e-7, outputPrice: 0.00000125, totalPrice: null, tokenizerId: null, tokenizerConfig: null,
  isLangfuseManaged: true, createdAt: "2026-01-01T00:00:00.000Z", prices: {},
  pricingTiers: [{ id: "t", name: "Standard", isDefault: true, priority: 0, conditions: [], prices: { input: 4e-7, output: 0.00000125 } }], ...change,
});

const list = (models: Model[]) => ({ data: models, meta: { page: 1, limit: 100, totalItems: models.length, totalPages: 1 } });
const facets = (...names: string[]) => ({ data: { model: names.map((value, index) => ({ value, count: 10 - index })) }, meta: { rows: 10, sampled: false } });

function show(answers: Answers, options: { role?: Role; search?: string } = {}) {
  return renderInProject(ModelsPage, { "GET /api/public/models": () => list([model("gpt-4o"), model("acme", { isLangfuseManaged: false })]), "GET /api/public/facets": () => facets(), ...answers }, options);
}

const field = (label: string, within: ParentNode = document) => {
  const found = [...within.querySelectorAll("label")].find(({ textContent }) => textContent === label);
  return document.getElementById(found!.htmlFor) as HTMLInputElement;
};
const rows = () => [...document.querySelectorAll("tbody tr")].map((row) => row.textContent);

describe("ModelsPage", () => {
  it("lists all pages of prices for a million tokens, own ones first", async () => {
    const pages = [[model("gpt-4o")], [model("acme", { isLangfuseManaged: false })]];
    await show({ "GET /api/public/models": ({ params }) => ({ data: pages[Number(params!.query!.page) - 1], meta: { page: 1, limit: 100, totalItems: 2, totalPages: 2 } }) });
    expect(rows()).toHaveLength(2);
    expect(rows()[0]).toMatch(/acmeOwn.*\$0\.40.*\$1\.25.*1M tokens/);
    expect(rows()[1]).toContain("gpt-4o");
  });

  it("keeps the search in the address, and finds by it", async () => {
    const router = await show({}, { search: "?q=GPT-4O" });
    expect(rows()).toHaveLength(1);
    await type(field("Search"), "nothing like it");
    await settle();
    expect(router.state.location.search).toMatchObject({ q: "nothing like it" });
    expect(document.body.textContent).toContain("No model found");
  });

  it("tells which price a model id would get", async () => {
    await show({});
    await type(field("Try a model id"), "ACME");
    expect(document.body.textContent).toContain("Priced by acme (your own): $0.40 input, $1.25 output per 1M tokens.");
    await type(field("Try a model id"), "unknown");
    expect(document.body.textContent).toContain("No model matches");
  });

  it("leads from a model without a price to one with it", async () => {
    const created = vi.fn<Answer>(() => model("tiny.v1"));
    await show({ "GET /api/public/facets": () => facets("tiny.v1"), "POST /api/public/models": created });
    await click(get("button", "Add price for tiny.v1"));
    const dialog = get("dialog");
    expect(field("Match pattern", dialog).value).toBe(String.raw`(?i)^tiny\.v1$`);
    await click(get("button", "Save"));
    expect(created).not.toHaveBeenCalled();
    expect(dialog.textContent).toContain("Give at least one price");
    expect(document.activeElement).toBe(field("$ per 1M tokens", dialog));
    await type(field("$ per 1M tokens", dialog), "0.4");
    await click(get("button", "Save"));
    await settle();
    expect(created.mock.lastCall?.[0].body as ModelBody).toMatchObject({ modelName: "tiny.v1", pricingTiers: [{ isDefault: true, prices: { input: 4e-7 } }] });
    expect(document.querySelector("[role=dialog]")).toBeNull();
  });

  it("offers to price what was stored before a price was there", async () => {
    const job = vi.fn<Answer>(() => ({}));
    await show({ "GET /api/public/facets": () => facets("ACME"), "POST /api/public/jobs": job });
    await click(get("button", "Price what is stored of ACME"));
    await settle();
    expect(job.mock.lastCall?.[0].body).toMatchObject({ kind: "reprice", model: "ACME" });
  });

  it("shows the server's refusal, and keeps what was typed", async () => {
    await show({ "PUT /api/public/models/{modelId}": () => { throw new ApiError(400, "matchPattern is not a regular expression", undefined, "r1"); } });
    await click(get("button", "Edit acme"));
    await type(field("Match pattern", get("dialog")), "(");
    await click(get("button", "Save"));
    await settle();
    expect(get("alert").textContent).toContain("matchPattern is not a regular expression");
    expect(field("Match pattern", get("dialog")).value).toBe("(");
  });

  it("deletes an own price after its name was typed", async () => {
    const removed = vi.fn<Answer>(() => ({}));
    await show({ "DELETE /api/public/models/{modelId}": removed });
    await click(get("button", "Delete acme"));
    expect(get("alertdialog").textContent).toContain("have no cost");
    expect((get("button", "Delete price") as HTMLButtonElement).disabled).toBe(true);
    await type(get("alertdialog").querySelector("input")!, "acme");
    await click(get("button", "Delete price"));
    await settle();
    expect(removed.mock.lastCall?.[0].params?.path).toEqual({ modelId: "id-acme" });
  });

  it("lets members look only", async () => {
    await show({ "GET /api/public/facets": () => facets("tiny") }, { role: "MEMBER" });
    expect(document.body.textContent).toContain("role ADMIN");
    expect([...document.querySelectorAll("button")].map((button) => button.getAttribute("aria-label") ?? button.textContent).filter((name) => /add|edit|delete|own price/i.test(name!))).toEqual([]);
  });

  it("says what went wrong", async () => {
    await show({ "GET /api/public/models": () => { throw new ApiError(503, "The store does not answer", undefined, "r1"); } });
    expect(get("alert").textContent).toContain("The store does not answer");
    expect(get("button", "Try again")).toBeTruthy();
  });
});
