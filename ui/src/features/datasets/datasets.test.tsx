// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { Refusal, renderProjectPage, settle } from "@/shared/test/projectPage";
import { cleanup, click, get } from "@/shared/test/render";
import { DatasetPage } from "./DatasetPage";
import { DatasetsPage } from "./DatasetsPage";
import { exportLine } from "./export";
import { ItemPage } from "./ItemPage";
import { readItem } from "./api";
import { changedFields, jsonProblem, localProblems, placedProblems } from "./texts";

vi.mock("@/shared/code/EditorBox", () => ({ default: ({ label, value, readOnly }: { label: string; value: string; readOnly?: boolean }) => <textarea aria-label={label} readOnly={readOnly} defaultValue={value} /> }));
vi.mock("@/shared/code/DiffBox", () => ({ default: ({ before, after }: { before: string; after: string }) => <p>{`${before} becomes ${after}`}</p> }));

afterEach(cleanup);

const body = () => document.body.textContent ?? "";
const summary = (name: string, activeItems: number) => ({ id: `id-${name}`, name, description: null, hasInputSchema: true, hasExpectedOutputSchema: false, activeItems, archivedItems: 1, itemsChangedAt: null, createdAt: "2026-11-15T10:00:00Z", updatedAt: "2026-11-15T10:00:00Z" });
const dataset = { id: "d1", projectId: "p", name: "support/refunds", description: null, metadata: null, inputSchema: { type: "object" }, expectedOutputSchema: null, createdAt: "2026-11-15T10:00:00Z", updatedAt: "2026-11-15T10:00:00Z", activeItems: 1, archivedItems: 0 };
const row = { id: "r7", status: "ACTIVE", input: '{"q":"money back?"}', inputMore: false, expectedOutput: null, expectedOutputMore: false, metadata: null, metadataMore: false, sourceTraceId: "t1", sourceObservationId: null, createdAt: "2026-11-15T10:00:00Z", version: "2026-11-15T10:00:00.000Z" };
const meta = (totalItems: number) => ({ page: 1, limit: 100, totalItems, totalPages: 1 });
const times = { data: [{ version: "2026-11-15T10:00:00.000Z", written: 1, deleted: 0 }], more: false };

describe("DatasetsPage", () => {
  it("shows folders first, and what lies in one by its address", async () => {
    const answers = { "/api/public/dataset-summaries": () => ({ data: [summary("smoke", 3), summary("support/refunds", 40), summary("support/shipping", 2)] }) };
    const at = await renderProjectPage("datasets", DatasetsPage, "/project/p/datasets", answers);
    expect(body()).toContain("3 datasets");
    expect(body()).not.toContain("refunds");
    await click(get("link", "Folder support"));
    await settle();
    expect(at.address()).toBe("/project/p/datasets?folder=support");
    expect(body()).toContain("refunds");
    expect(body()).toContain("40");
  });

  it("says what a dataset is where there is none, and what failed", async () => {
    await renderProjectPage("datasets", DatasetsPage, "/project/p/datasets", { "/api/public/dataset-summaries": () => ({ data: [] }) });
    expect(body()).toContain("No datasets yet");
    cleanup();
    await renderProjectPage("datasets", DatasetsPage, "/project/p/datasets", { "/api/public/dataset-summaries": () => new Refusal(503, "The store starts.") });
    expect(body()).toContain("The store starts.");
  });
});

describe("DatasetPage", () => {
  it("asks for the items that the address says, and shows them as they were", async () => {
    const asked: URLSearchParams[] = [];
    await renderProjectPage("datasets/$datasetId", DatasetPage, "/project/p/datasets/d1?q=money&status=ALL&version=2026-11-15T10%3A00%3A00.000Z", {
      "/api/public/dataset-summaries/d1": () => dataset, "/api/public/dataset-summaries/d1/versions": () => times,
      "/api/public/dataset-summaries/d1/items": (search) => (asked.push(search), { data: [row], meta: meta(1) }),
    });
    expect(Object.fromEntries(asked[0]!)).toMatchObject({ search: "money", status: "ALL", version: "2026-11-15T10:00:00.000Z", page: "1" });
    expect(body()).toContain("money back?");
    expect(body()).toContain("Items as they were at");
  });
});

describe("ItemPage", () => {
  const item = (version: string, input: string) => `{"id":"r7","status":"ACTIVE","input":${input},"expectedOutput":null,"metadata":null,"sourceTraceId":null,"sourceObservationId":null,"datasetId":"d1","datasetName":"support/refunds","createdAt":"${version}","updatedAt":"${version}","version":"${version}","mediaReferences":[]}`;
  const [first, second] = ["2026-11-15T10:00:00.000Z", "2026-11-15T11:00:00.000Z"];
  const answers = {
    "/api/public/dataset-summaries/d1": () => dataset,
    "/api/public/dataset-items/r7": () => JSON.parse(item(second, '{"q":"new"}')),
    [`/api/public/dataset-items/r7/versions/${encodeURIComponent(first)}`]: () => JSON.parse(item(first, '{"q":"old"}')),
    "/api/public/dataset-items/r7/versions": () => ({ data: [{ version: second, until: null, status: "ACTIVE", datasetId: "d1" }, { version: first, until: second, status: "ACTIVE", datasetId: "d1" }], meta: meta(2) }),
  };

  it("compares a version with another, which the address names", async () => {
    const at = await renderProjectPage("datasets/$datasetId/items/$itemId", ItemPage, "/project/p/datasets/d1/items/r7", answers);
    await settle();
    expect(document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Input"]')?.value).toBe('{\n  "q": "new"\n}');
    await click(get("link", `Compare with the version of ${first}`));
    await settle();
    expect(at.address()).toBe(`/project/p/datasets/d1/items/r7?diff=${encodeURIComponent(first)}`);
    await settle();
    expect(body()).toContain('{\n  "q": "old"\n} becomes {\n  "q": "new"\n}');
  });

  it("shows a version of the past to be read only", async () => {
    await renderProjectPage("datasets/$datasetId/items/$itemId", ItemPage, `/project/p/datasets/d1/items/r7?version=${encodeURIComponent(first)}`, answers);
    await settle();
    expect(body()).toContain("The item as it was at");
    expect(document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Input"]')?.readOnly).toBe(true);
  });
});

describe("texts of items", () => {
  const texts = { input: '{\n  "a": 1\n}', expectedOutput: "", metadata: '"m"' };

  it("tells what changed, whatever the layout", () => {
    expect(changedFields(texts, { ...texts, input: '{"a":1}' })).toEqual([]);
    expect(changedFields(texts, { ...texts, input: '{"a":1.0}', metadata: "2" })).toEqual(["input", "metadata"]);
  });

  it("ties what is wrong to a line", () => {
    expect(jsonProblem('{\n"a": 1,\n}')).toMatch(/no JSON/);
    expect(jsonProblem("  ")).toBeUndefined();
    expect(localProblems(texts, { ...texts, metadata: "" }).metadata?.[0]).toContain("keeps what it has");
    expect(placedProblems([{ index: 0, id: null, field: "input", path: "/a", message: "got number, want string" }, { index: 0, id: null, field: "id", path: null, message: "is taken" }], texts)).toEqual({ input: ["Line 2, /a: got number, want string", "id is taken"] });
  });

  it("keeps every digit on the way into a file", () => {
    const read = readItem('{"id":"=x","status":"ACTIVE","input":12345678901234567890,"expectedOutput":"a, \\"b\\"","metadata":null,"sourceTraceId":null,"sourceObservationId":null,"version":"v","createdAt":"c"}');
    expect(exportLine(read, "jsonl")).toBe('{"id":"=x","input":12345678901234567890,"expectedOutput":"a, \\"b\\""}\n');
    expect(exportLine(read, "csv")).toBe(`'=x,12345678901234567890,"""a, \\""b\\""""",,,\r\n`);
  });
});
